"""Support for the operations of a model: they need a kernel, must be within the limits, and suit the variant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nnvet.hal.extensions import fits
from nnvet.hal.operand_types import is_extension
from nnvet.hal.types import Model, Operation, OperationType, Subgraph
from nnvet.hal.validation.control_flow import CONTROL_FLOW
from nnvet.reference_driver import limits
from nnvet.reference_driver.compiled import known_declarations, referenced
from nnvet.reference_driver.kernels.registry import kernels
from nnvet.reference_driver.variants import Variant


@dataclass(frozen=True, slots=True)
class _Extent:
    """Depth of nested subgraphs, and number of operations that run if every loop goes round once."""

    nesting: int
    steps: int


class Support:
    """Answers for the operations of one valid model whose extension codes are resolved."""

    def __init__(self, model: Model, variant: Variant) -> None:
        """Look at all referenced subgraphs; answer as ``variant`` would."""
        self._variant = variant
        self._extents: dict[int, _Extent | None] = {}
        for index in _innermost_first(model):
            self._extents[index] = self._of_subgraph(model.referenced[index])
        main = model.main
        self._main = {operation: self._extent(operation, main) for operation in main.operations}
        known = [self._main[operation] for operation in main.operations]
        self._is_too_long = sum(extent.steps for extent in known if extent is not None) > limits.STEPS

    def of(self, operation: Operation) -> bool:
        """Return True if an operation of the main subgraph can run."""
        too_long = self._is_too_long and operation.type in CONTROL_FLOW
        return not too_long and self._main[operation] is not None

    def _extent(self, operation: Operation, subgraph: Subgraph) -> _Extent | None:
        """None if the operation cannot run."""
        if not self._has_kernel(operation, subgraph):
            return None
        if operation.type not in CONTROL_FLOW:
            return _Extent(0, 1)
        extents = [self._extents[index] for index in referenced(operation, subgraph)]
        steps = [extent.steps for extent in extents if extent is not None]
        if len(steps) != len(extents):
            return None
        nesting = 1 + max(extent.nesting for extent in extents if extent is not None)
        total = 1 + (max(steps) if operation.type == OperationType.IF else sum(steps))
        return _Extent(nesting, total) if nesting <= limits.NESTING and total <= limits.STEPS else None

    def _has_kernel(self, operation: Operation, subgraph: Subgraph) -> bool:
        declaration = known_declarations().get(operation.type)
        operands = subgraph.operands
        ranks = [len(operands[index].dimensions) for index in (*operation.inputs, *operation.outputs)]
        if declaration is None or max(ranks, default=0) > limits.RANK:
            return False
        # The contract leaves the operands of an extension's operations to the driver.
        if is_extension(operation.type) and not fits(declaration, operation, subgraph):
            return False
        has_kernel = operation.type in CONTROL_FLOW or operation.type in kernels()
        return has_kernel and self._variant.supports(operation, subgraph)

    def _of_subgraph(self, subgraph: Subgraph) -> _Extent | None:
        nesting, steps = 0, 0
        for operation in subgraph.operations:
            extent = self._extent(operation, subgraph)
            if extent is None:
                return None
            nesting, steps = max(nesting, extent.nesting), steps + extent.steps
        return _Extent(nesting, steps)


def _innermost_first(model: Model) -> Iterator[int]:
    """Indexes of all referenced subgraphs, each behind those that it refers to."""
    done: set[int] = set()
    for start in range(len(model.referenced)):
        # No recursion: nobody limits how deep a model may be nested.
        stack = [start]
        while stack:
            subgraph = model.referenced[stack[-1]]
            inner = {index for operation in subgraph.operations for index in referenced(operation, subgraph)}
            if stack[-1] in done or inner <= done:
                index = stack.pop()
                if index not in done:
                    done.add(index)
                    yield index
            else:
                stack += inner - done
