"""The device: queries, supported operations, preparation."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version

from hal.arguments import check_prepare_config, deadline_passed
from hal.enums import DeviceType, ErrorStatus, FeatureLevel
from hal.errors import HalError, failure, invalid
from hal.interfaces import Buffer, PreparedModel, PreparedModelCallback
from hal.operand_types import is_extension
from hal.types import (
    BufferDesc,
    BufferRole,
    Capabilities,
    Extension,
    MappableFile,
    Model,
    NumberOfCacheFiles,
    OperandType,
    Operation,
    OperationType,
    PrepareModelConfig,
    Subgraph,
)
from hal.validation import validate_model
from reference_driver.compiled import CONTROL_FLOW, compile_model
from reference_driver.kernels.registry import kernels
from reference_driver.prepared import ReferencePreparedModel
from reference_driver.variants import VARIANTS, Variant


def create(variant: str = "") -> ReferenceDevice:
    """Make the device of a variant (``""`` is the full one).

    :raises ValueError: for an unknown variant, naming the known ones.
    """
    if variant not in VARIANTS:
        known = ", ".join(repr(name) for name in VARIANTS)
        raise ValueError(f"the reference driver has no variant {variant!r}; it has {known}")
    return ReferenceDevice(VARIANTS[variant])


class ReferenceDevice:
    """See :class:`hal.interfaces.Device`."""

    def __init__(self, variant: Variant) -> None:
        """Make a device that behaves as ``variant`` says."""
        self._variant = variant

    @property
    def name(self) -> str:
        """``nnvet-reference``, with the variant if it is not the full one."""
        return f"nnvet-reference-{self._variant.name}" if self._variant.name else "nnvet-reference"

    def get_feature_level(self) -> FeatureLevel:
        """FL8."""
        return FeatureLevel.FL8

    def get_version_string(self) -> str:
        """The suite's version."""
        return version("nnvet")

    def get_type(self) -> DeviceType:
        """CPU."""
        return DeviceType.CPU

    def get_capabilities(self) -> Capabilities:
        """Performance as the variant claims it."""
        return self._variant.capabilities

    def get_supported_extensions(self) -> tuple[Extension, ...]:
        """None."""
        return ()

    def get_number_of_cache_files_needed(self) -> NumberOfCacheFiles:
        """Compilation caching is not supported."""
        return NumberOfCacheFiles()

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """One answer for each operation of the main subgraph.

        :raises HalError: INVALID_ARGUMENT if the model is invalid.
        """
        validate_model(model, self.get_feature_level())
        return tuple(self._supports(operation, model.main, model) for operation in model.main.operations)

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Check the arguments, then compile on a thread of its own.

        :raises HalError: INVALID_ARGUMENT, also notified.
        """
        try:
            supported = self.get_supported_operations(model)
            check_prepare_config(config)
        except HalError as error:
            callback.notify(error.status, None)
            raise
        if not all(supported):
            callback.notify(ErrorStatus.INVALID_ARGUMENT, None)
        elif deadline_passed(config.deadline_ns):
            callback.notify(ErrorStatus.MISSED_DEADLINE_PERSISTENT, None)
        else:
            threading.Thread(target=_prepare, args=(model, callback), name="prepare", daemon=True).start()

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[MappableFile],
        data_cache: Sequence[MappableFile],
        token: bytes,
        callback: PreparedModelCallback,
    ) -> None:
        """Refuse: nothing is ever cached.

        :raises HalError: GENERAL_FAILURE, also notified.
        """
        del deadline_ns, model_cache, data_cache, token
        callback.notify(ErrorStatus.GENERAL_FAILURE, None)
        raise failure("compilation caching is not supported", "driver/operation.supported")

    def allocate(
        self,
        desc: BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[BufferRole],
        output_roles: Sequence[BufferRole],
    ) -> tuple[Buffer, int]:
        """Refuse: there is no device memory apart from shared memory.

        :raises HalError: INVALID_ARGUMENT without models or roles, else GENERAL_FAILURE.
        """
        del desc
        if not prepared_models or not (input_roles or output_roles):
            raise invalid("device memory needs a prepared model and a role", "allocate/roles")
        raise failure("device memory is not supported", "driver/operation.supported")

    def _supports(self, operation: Operation, subgraph: Subgraph, model: Model) -> bool:
        if is_extension(operation.type) or operation.type == OperationType.OEM_OPERATION:
            return False
        if not self._variant.supports(operation, subgraph):
            return False
        if operation.type not in CONTROL_FLOW:
            return operation.type in kernels()
        branches = [
            model.referenced[subgraph.operands[index].location.offset]
            for index in operation.inputs[:3]
            if subgraph.operands[index].type == OperandType.SUBGRAPH
        ]
        return all(self._supports(step, branch, model) for branch in branches for step in branch.operations)


def _prepare(model: Model, callback: PreparedModelCallback) -> None:
    try:
        prepared = ReferencePreparedModel(model, compile_model(model))
    except HalError as error:
        callback.notify(error.status, None)
    except MemoryError:
        callback.notify(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, None)
    else:
        callback.notify(ErrorStatus.NONE, prepared)
