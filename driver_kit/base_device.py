"""Where a driver in Python starts: defaults for every method of :class:`nnvet.hal.interfaces.Device`.

A driver says what it is with class attributes, which operations it ``supports``, and how to ``compile``.
Prepared models start from :class:`nnvet.driver_kit.base_prepared_model.BasePreparedModel`.
"""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.driver_kit.arrays import constant
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.driver_kit.launch import perform
from nnvet.hal.arguments import check_prepare_config, check_time, deadline_passed
from nnvet.hal.enums import DeviceType, ErrorStatus, FeatureLevel
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.extensions import ExtensionDeclaration, resolved
from nnvet.hal.interfaces import Buffer, PreparedModel, PreparedModelCallback
from nnvet.hal.memory import MappableFile, mapped
from nnvet.hal.types import (
    BufferDesc,
    BufferRole,
    Capabilities,
    Extension,
    Model,
    NumberOfCacheFiles,
    Operation,
    PrepareModelConfig,
)
from nnvet.hal.validation import validate_model

__all__ = ["BaseDevice", "BasePreparedModel", "constant"]

_COMPILE = Bucket(Layer.DRIVER, TracePhase.COMPILATION)


class BaseDevice:
    """A device without operations, extensions, caching or device memory; override what yours has."""

    name: str = "base"
    version: str = "1.0"
    feature_level: FeatureLevel = FeatureLevel.FL8
    device_type: DeviceType = DeviceType.CPU
    capabilities: Capabilities = Capabilities()
    extensions: tuple[ExtensionDeclaration, ...] = ()
    """Extensions all of whose operations and operand types the device supports."""

    def supports(self, model: Model, operation: Operation) -> bool:
        """Whether an operation of the valid model's main subgraph can run; True is a promise.

        Codes of the device's ``extensions`` are those of the declarations, whatever prefixes the client chose.
        """
        del model, operation
        return False

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """Prepare a valid model of which every operation is supported; runs in the thread that called.

        Codes of extensions are as :meth:`supports` has them.

        :raises HalError: whatever is then notified.
        """
        del model, config
        raise failure(f"{type(self).__name__} has no compile method", "prepare/supported")

    def compile_from_cache(
        self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes
    ) -> PreparedModel:
        """Prepare what was saved in cache files when a model was compiled with them (docs/contract/hal.md 10.3).

        :raises HalError: INVALID_ARGUMENT or GENERAL_FAILURE; GENERAL_FAILURE if nothing is ever cached.
        """
        del model_cache, data_cache, token
        raise failure("compilation caching is not supported", "cache/unsupported")

    def get_feature_level(self) -> FeatureLevel:
        """The class attribute ``feature_level``; a driver of an older interface sets a lower one."""
        return self.feature_level

    def get_version_string(self) -> str:
        """The class attribute ``version``, which must not be empty; a subclass gives its own."""
        return self.version

    def get_type(self) -> DeviceType:
        """The class attribute ``device_type``, by which clients choose among devices."""
        return self.device_type

    def get_capabilities(self) -> Capabilities:
        """The class attribute ``capabilities``; by default as fast as the reference CPU."""
        return self.capabilities

    def get_supported_extensions(self) -> tuple[Extension, ...]:
        """What the class attribute ``extensions`` declares."""
        return tuple(extension.published for extension in self.extensions)

    def get_number_of_cache_files_needed(self) -> NumberOfCacheFiles:
        """No files of either kind: the driver caches nothing unless this is overridden."""
        return NumberOfCacheFiles()

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """What :meth:`supports` says of each operation.

        :raises HalError: INVALID_ARGUMENT for an invalid model.
        """
        validate_model(model, self.feature_level)
        known = resolved(model, self.extensions)
        return tuple(self.supports(known, operation) for operation in known.main.operations)

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Check the arguments, then :meth:`compile` and notify once, all before it returns (docs/contract/hal.md 10.2).

        :raises HalError: INVALID_ARGUMENT, also notified; a failure to compile is only notified.
        """
        with _notifying(callback):
            check_prepare_config(config)
            supported = all(self.get_supported_operations(model))
        if not supported:
            callback.notify(ErrorStatus.INVALID_ARGUMENT, None)
        elif deadline_passed(config.deadline_ns):
            callback.notify(ErrorStatus.MISSED_DEADLINE_PERSISTENT, None)
        else:
            # A thread for each preparation would cost more than preparing a small model.
            perform(lambda: self._compile(model, config), callback.notify)

    def check_pools(self, model: Model) -> None:
        """Look whether constants can be read, before :meth:`compile`: every pool of the model can be mapped.

        Override it if the device reads memory that the host cannot map, such as opaque hardware buffers.

        :raises HalError: GENERAL_FAILURE if one cannot be mapped.
        """
        for pool in model.pools:
            with mapped(pool, writable=False):
                pass

    def _compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        self.check_pools(model)
        with span(_COMPILE, "compile"):
            return self.compile(resolved(model, self.extensions), config)

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[MappableFile],
        data_cache: Sequence[MappableFile],
        token: bytes,
        callback: PreparedModelCallback,
    ) -> None:
        """Check the deadline, then :meth:`compile_from_cache` and notify once, all before it returns.

        :raises HalError: INVALID_ARGUMENT for a bad deadline, or as compile_from_cache fails; also notified.
        """
        with _notifying(callback):
            check_time(deadline_ns, "deadline", "prepare/deadline")
            if deadline_passed(deadline_ns):
                raise HalError(ErrorStatus.MISSED_DEADLINE_PERSISTENT, "the deadline has passed", "prepare/deadline")
            prepared = self.compile_from_cache(model_cache, data_cache, token)
        callback.notify(ErrorStatus.NONE, prepared)

    def allocate(
        self,
        desc: BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[BufferRole],
        output_roles: Sequence[BufferRole],
    ) -> tuple[Buffer, int]:
        """Refuse, since there is no device memory.

        :raises HalError: INVALID_ARGUMENT without models or roles, else GENERAL_FAILURE.
        """
        del desc
        if not prepared_models or not (input_roles or output_roles):
            raise invalid("device memory needs a prepared model and a role", "allocate/roles")
        raise failure("device memory is not supported", "driver/operation.supported")


class _notifying:  # noqa: N801 - reads as a with statement
    """Errors raised inside are also notified; a null callback is an error that nobody can be notified of."""

    def __init__(self, callback: PreparedModelCallback | None) -> None:
        if callback is None:
            raise invalid("the callback is null", "prepare/notified_once")
        self._callback = callback

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, HalError):
            self._callback.notify(error.status, None)
