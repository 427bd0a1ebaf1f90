"""The device: what it says of itself, which operations it takes, and how it compiles."""

from __future__ import annotations

from importlib.metadata import version

from hal.base_device import BaseDevice
from hal.operand_types import is_extension
from hal.types import Model, OperandType, Operation, OperationType, PrepareModelConfig, Subgraph
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


class ReferenceDevice(BaseDevice):
    """A CPU device of FL8 for all operations, or for those of a variant."""

    prepared_model: type[ReferencePreparedModel] = ReferencePreparedModel
    """What :meth:`compile` makes."""

    def __init__(self, variant: Variant) -> None:
        """Make a device that behaves as ``variant`` says."""
        self.name = f"nnvet-reference-{variant.name}" if variant.name else "nnvet-reference"
        self.version = version("nnvet")
        self.capabilities = variant.capabilities
        self._variant = variant

    def supports(self, model: Model, operation: Operation) -> bool:
        """Whether there is a kernel; control flow needs one for every operation of its subgraphs."""
        return self._supports(model, model.main, operation)

    def compile(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
        """Bind all operations and copy all constants.

        :raises HalError: GENERAL_FAILURE if a pool cannot be mapped.
        """
        del config
        return self.prepared_model(model, compile_model(model))

    def _supports(self, model: Model, subgraph: Subgraph, operation: Operation) -> bool:
        if is_extension(operation.type) or operation.type == OperationType.OEM_OPERATION:
            return False
        if not self._variant.supports(operation, subgraph):
            return False
        if operation.type not in CONTROL_FLOW:
            return operation.type in kernels()
        branches = [
            model.referenced[subgraph.operands[index].location.offset]
            for index in operation.inputs
            if subgraph.operands[index].type == OperandType.SUBGRAPH
        ]
        return all(self._supports(model, branch, step) for branch in branches for step in branch.operations)
