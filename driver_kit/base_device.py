"""Base class of devices in Python: defaults for every method of :class:`nnvet.hal.interfaces.Device`.

A driver describes itself by class attributes, has a method ``supports`` for single operations, and a method
``compile``. A driver that has to look at the whole model has a method ``plan`` in place of both. Prepared models derive
from :class:`nnvet.driver_kit.base_prepared_model.BasePreparedModel`.

:func:`make_capabilities` makes the answer to getCapabilities, which has a figure for each operand type. Source:
docs/contract/hal.md 6.3; docs/contract/sample-driver.md 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, Protocol, Self

from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.driver_kit.arrays import constant
from nnvet.driver_kit.base_prepared_model import BasePreparedModel, perform
from nnvet.hal import types as hal
from nnvet.hal.arguments import check_prepare_config, check_time, deadline_passed
from nnvet.hal.calling import because_of
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.extensions import ExtensionDeclaration, resolved
from nnvet.hal.interfaces import Buffer, PreparedModel, PreparedModelCallback
from nnvet.hal.memory import mapped
from nnvet.hal.validation import validate_model

__all__ = ["VERSION_VARIABLE", "BaseDevice", "BasePreparedModel", "ModelPlan", "constant"]

VERSION_VARIABLE: Final = "NNVET_DRIVER_VERSION"
"""Environment variable that gives a driver another version string, to test how it treats an older cache."""

_COMPILE = Bucket(Layer.DRIVER, TracePhase.COMPILATION)
"""Bucket of the trace (:mod:`nnvet.diagnostics.tracing`) that counts the time of compiling models."""


class ModelPlan(Protocol):
    """Answers of a device about one valid model, and its plan to prepare it."""

    @property
    def supported(self) -> Sequence[bool]:
        """One answer for each operation of the main subgraph; True promises that the driver computes it."""

    def compile(self, config: hal.PrepareModelConfig) -> PreparedModel:
        """Prepare the model, all of whose operations are supported.

        :raises HalError: whatever is then notified.
        """


_FLOAT32: Final = (hal.OperandType.FLOAT32, hal.OperandType.TENSOR_FLOAT32)
"""Types to which the figure for float32 applies."""
_UNLISTED: Final = (hal.OperandType.SUBGRAPH, hal.OperandType.OEM, hal.OperandType.TENSOR_OEM_BYTE)
"""Types that have no figure in getCapabilities (docs/contract/hal.md)."""


def make_capabilities(
    default: hal.PerformanceInfo,
    float32: hal.PerformanceInfo,
    relaxed: hal.PerformanceInfo,
    others: Mapping[hal.OperandType, hal.PerformanceInfo] | None = None,
) -> hal.Capabilities:
    """Return a sorted table of all operand types but the OEM types and SUBGRAPH; ``default`` is also for control flow.

    ``others`` are figures of further types.
    """
    known = {**dict.fromkeys(_FLOAT32, float32), **(others or {})}
    table = tuple(
        hal.OperandPerformance(kind, known.get(kind, default))
        for kind in sorted(hal.OperandType)
        if kind not in _UNLISTED
    )
    return hal.Capabilities(relaxed, relaxed, table, default, default)


LIKE_THE_CPU: Final = make_capabilities(hal.PerformanceInfo(), hal.PerformanceInfo(), hal.PerformanceInfo())
"""As much time and power as the reference CPU. A table without types would say that the device is as slow as can be."""


class BaseDevice:
    """A device without operations, extensions, caching or device memory; override methods for what yours has."""

    name: str = "base"
    version: str = "1.0"
    feature_level: hal.FeatureLevel = hal.FeatureLevel.FL8
    device_type: hal.DeviceType = hal.DeviceType.CPU
    capabilities: hal.Capabilities = LIKE_THE_CPU
    extensions: tuple[ExtensionDeclaration, ...] = ()
    """Extensions all of whose operations and operand types the device supports."""

    def get_ready(self) -> None:
        """Do slow work for which no call should wait; a service calls this method once, before it serves."""

    def plan(self, model: hal.Model) -> ModelPlan:
        """Examine a valid model as a whole; by default this calls :meth:`supports` and :meth:`compile`.

        A preparation makes one plan, and compiles it if everything is supported; a question for the supported
        operations makes a plan of its own, since it has another copy of the model. Codes of the device's ``extensions``
        are those of the declarations, whatever prefixes the client chose.

        :raises HalError: the error of the call; a preparation notifies it, too.
        """
        return _OneByOne(self, model)

    def supports(self, model: hal.Model, operation: hal.Operation) -> bool:
        """Return True to promise that an operation of the main subgraph can run; ``model`` is that of :meth:`plan`."""
        del model, operation
        return False

    def compile(self, model: hal.Model, config: hal.PrepareModelConfig) -> PreparedModel:
        """Prepare a model that is supported completely, on the calling thread; see :meth:`plan`.

        :raises HalError: the error that is then notified.
        """
        del model, config
        raise failure(f"{type(self).__name__} has no compile method", "prepare/supported")

    def compile_from_cache(
        self, model_cache: Sequence[hal.MappableFile], data_cache: Sequence[hal.MappableFile], token: bytes
    ) -> PreparedModel:
        """Prepare what was saved in cache files when a model was compiled with them (docs/contract/hal.md 10.3).

        :raises HalError: INVALID_ARGUMENT or GENERAL_FAILURE; GENERAL_FAILURE if nothing is ever cached.
        """
        del model_cache, data_cache, token
        raise failure("compilation caching is not supported", "cache/unsupported")

    def get_feature_level(self) -> hal.FeatureLevel:
        """Return the class attribute ``feature_level``; a driver of an older interface sets a lower one."""
        return self.feature_level

    def get_version_string(self) -> str:
        """Return the class attribute ``version``, which must not be empty; a subclass gives its own."""
        return self.version

    def get_type(self) -> hal.DeviceType:
        """Return the class attribute ``device_type``, which clients use to choose a device."""
        return self.device_type

    def get_capabilities(self) -> hal.Capabilities:
        """Return the class attribute ``capabilities``; by default as fast as the reference CPU."""
        return self.capabilities

    def get_supported_extensions(self) -> tuple[hal.Extension, ...]:
        """Return the extensions of the class attribute ``extensions``."""
        return tuple(extension.published for extension in self.extensions)

    def get_number_of_cache_files_needed(self) -> hal.NumberOfCacheFiles:
        """Return no files of either kind: the driver caches nothing unless this is overridden."""
        return hal.NumberOfCacheFiles()

    def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
        """Return the answer of the model's :meth:`plan` for each operation.

        :raises HalError: INVALID_ARGUMENT for an invalid model, or as :meth:`plan` fails.
        """
        self.check_model(model)
        return _Planned(self, model, self.plan(self.resolve(model)))

    def prepare_model(self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Check the arguments, then compile and notify once, all before it returns (docs/contract/hal.md 10.2).

        :raises HalError: INVALID_ARGUMENT, also notified; a failure to compile is only notified.
        """
        with _notifying(callback):
            self.check_config(config)
            answers = self.get_supported_operations(model)
        if not all(answers):
            with because_of(_refusal(answers)):
                callback.notify(hal.ErrorStatus.INVALID_ARGUMENT, None)
        elif deadline_passed(config.deadline_ns):
            callback.notify(hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT, None)
        else:
            # A thread for each preparation would cost more than preparing a small model.
            perform(lambda: self._compile(model, config, answers), partial(_notify_prepared, callback))

    def resolve(self, model: hal.Model) -> hal.Model:
        """Return the model for :meth:`plan`, with the codes of the device's ``extensions`` as they are declared.

        Override it if the device hands models on to drivers that look up the codes themselves.
        """
        return resolved(model, self.extensions)

    def check_config(self, config: hal.PrepareModelConfig) -> None:
        """Refuse a configuration before a model is prepared. Override it if the driver checks configurations itself.

        :raises HalError: INVALID_ARGUMENT for a bad preference, priority or deadline.
        """
        check_prepare_config(config)

    def check_model(self, model: hal.Model) -> None:
        """Refuse an invalid model before anything else is done with it. Override it if the driver validates itself.

        :raises HalError: INVALID_ARGUMENT with the first broken rule, or for a model of a newer level.
        """
        validate_model(model, self.feature_level)

    def check_pools(self, model: hal.Model) -> None:
        """Check before :meth:`compile` that constants can be read: every pool of the model can be mapped.

        Override it if the device reads memory that the host cannot map, such as opaque hardware buffers.

        :raises HalError: GENERAL_FAILURE if one cannot be mapped.
        """
        for pool in model.pools:
            with mapped(pool, writable=False):
                pass

    def _compile(self, model: hal.Model, config: hal.PrepareModelConfig, answers: tuple[bool, ...]) -> PreparedModel:
        self.check_pools(model)
        if isinstance(answers, _Planned) and answers.device is self and answers.model is model:
            plan = answers.plan
        else:
            # A subclass has changed the answers, or took them from another model or device: a plan of that model or
            # device is not this driver's.
            plan = self.plan(self.resolve(model))
        with span(_COMPILE, "compile"):
            return plan.compile(config)

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[hal.MappableFile],
        data_cache: Sequence[hal.MappableFile],
        token: bytes,
        callback: PreparedModelCallback,
    ) -> None:
        """Check the deadline, then :meth:`compile_from_cache` and notify once, all before it returns.

        :raises HalError: INVALID_ARGUMENT for a bad deadline, or as compile_from_cache fails; also notified.
        """
        with _notifying(callback):
            check_time(deadline_ns, "deadline", "prepare/deadline")
            if deadline_passed(deadline_ns):
                raise HalError(
                    hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT, "the deadline has passed", "prepare/deadline"
                )
            prepared = self.compile_from_cache(model_cache, data_cache, token)
        callback.notify(hal.ErrorStatus.NONE, prepared)

    def allocate(
        self,
        desc: hal.BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[hal.BufferRole],
        output_roles: Sequence[hal.BufferRole],
    ) -> tuple[Buffer, int]:
        """Refuse, since there is no device memory.

        :raises HalError: INVALID_ARGUMENT without models or roles, else GENERAL_FAILURE.
        """
        del desc
        if not prepared_models or not (input_roles or output_roles):
            raise invalid("device memory needs a prepared model and a role", "allocate/roles")
        raise failure("device memory is not supported", "driver/operation.supported")


class _OneByOne:
    """The plan of a device that looks at each operation by itself."""

    def __init__(self, device: BaseDevice, model: hal.Model) -> None:
        self._device = device
        self._model = model

    @property
    def supported(self) -> tuple[bool, ...]:
        """The operations that the device ``supports``."""
        model = self._model
        return tuple([self._device.supports(model, operation) for operation in model.main.operations])

    def compile(self, config: hal.PrepareModelConfig) -> PreparedModel:
        """Compile the model by the device's method."""
        return self._device.compile(self._model, config)


class _Planned(tuple[bool, ...]):  # noqa: SLOT001 - it has more than its items
    """Answers of a plan, with the plan itself, so that a preparation compiles the plan that gave the answers."""

    device: BaseDevice
    model: hal.Model
    plan: ModelPlan

    def __new__(cls, device: BaseDevice, model: hal.Model, plan: ModelPlan) -> Self:
        answers = super().__new__(cls, plan.supported)
        answers.device, answers.model, answers.plan = device, model, plan
        return answers


def _refusal(answers: tuple[bool, ...]) -> HalError | None:
    """Return the reason that a plan has in its attribute ``refusal``, which is optional."""
    reason = getattr(answers.plan, "refusal", "") if isinstance(answers, _Planned) else ""
    return invalid(reason, "driver/operation.supported") if reason else None


def _notify_prepared(callback: PreparedModelCallback, status: hal.ErrorStatus, prepared: PreparedModel | None) -> None:
    """Notify once; with a prepared model also who computes it, if it says so in its attribute ``computed_by``."""
    said = getattr(prepared, "computed_by", "")
    if said:
        with because_of(HalError(hal.ErrorStatus.NONE, said)):
            callback.notify(status, prepared)
    else:
        callback.notify(status, prepared)


class _notifying:  # noqa: N801 - reads as a with statement
    """Notify errors that are raised inside the block; a null callback is an error that cannot be notified."""

    def __init__(self, callback: PreparedModelCallback | None) -> None:
        if callback is None:
            raise invalid("the callback is null", "prepare/notified_once")
        self._callback = callback

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, HalError):
            self._callback.notify(error.status, None)
