"""Longer forms of a test model: operations get optional arguments that they lack, with their default values.

Which arguments are optional follows from the declarations of the operations.
Source: their pages in docs/contract/operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_added, with_operation
from nnvet.generators.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph, element_type
from nnvet.hal.enums import OperandLifeTime, OperandType
from nnvet.hal.operations.binding import bind
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Call, Formal

DEFAULTS: Final = {
    "layout": 0,
    "dilation_width": 1,
    "dilation_height": 1,
    "align_corners": 0,
    "half_pixel_centers": 0,
    "axis": -1,
}
"""Values of optional arguments, by the name of the formal operand; those that may have no value have none."""


def longer_forms(test: TestModel, level: int) -> Iterator[tuple[str, TestModel]]:
    """Forms of a test in which one operation of the main subgraph has more arguments, with what was done.

    ``level`` is the highest feature level that an argument may need. Works on tests without data too.
    """
    for position, operation in enumerate(test.main.operations):
        call = _bound(test.main, operation)
        if call is None:
            continue
        given = len(operation.inputs)
        for length in call.signature.lengths:
            added = call.signature.inputs[given:length]
            if added and all(formal.level <= level for formal in added):
                names = ", ".join(formal.name for formal in added)
                what = f"{call.declaration.name} with {length} inputs, not {given}: {names}"
                yield what, replace(test, main=_with(test.main, position, [_default(formal, call) for formal in added]))


def _bound(subgraph: TestSubgraph, operation: TestOperation) -> Call | None:
    declaration = declarations().get(operation.type)
    if declaration is None or not any(signature.lengths for signature in declaration.signatures):
        return None
    inputs, outputs = (
        [Argument(subgraph.operands[index].type, subgraph.operands[index].dimensions) for index in indexes]
        for indexes in (operation.inputs, operation.outputs)
    )
    return bind(declaration, inputs, outputs)


def _default(formal: Formal, call: Call) -> TestOperand:
    kind = OperandType(call.row.types[formal.type] if isinstance(formal.type, str) else formal.type)
    if formal.omissible:
        return TestOperand(kind, (0,), lifetime=OperandLifeTime.CONSTANT_COPY, data=np.empty(0, element_type(kind)))
    data = np.array([DEFAULTS[formal.name]], element_type(kind))
    return TestOperand(kind, lifetime=OperandLifeTime.CONSTANT_COPY, data=data)


def _with(subgraph: TestSubgraph, position: int, arguments: list[TestOperand]) -> TestSubgraph:
    """The subgraph with more arguments for one operation."""
    first, old = len(subgraph.operands), subgraph.operations[position]
    longer = replace(old, inputs=(*old.inputs, *range(first, first + len(arguments))))
    return with_operation(with_added(subgraph, *arguments), position, longer)
