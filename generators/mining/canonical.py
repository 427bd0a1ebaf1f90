"""When fragments are the same: operations, wiring, shapes, types and attributes are, whatever weights and scales."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from nnvet.generators.graphs.model import TestModel, TestOperand, TestSubgraph, operation_name
from nnvet.generators.reducer.evaluation import argument_of
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import bound_formals
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.validation.operands import CONSTANTS

_L: Final = OperandLifeTime
_DIGITS: Final = 8
_MOST_NAMED: Final = 3


def in_order_of_use(test: TestModel) -> tuple[TestModel, list[int]]:
    """The test with operands numbered as its operations first name them, and their numbers before."""
    main = test.main
    order = list(
        dict.fromkeys(index for operation in main.operations for index in (*operation.inputs, *operation.outputs))
    )
    place = {index: number for number, index in enumerate(order)}
    operands = tuple(main.operands[index] for index in order)

    def listed(lifetime: OperandLifeTime) -> tuple[int, ...]:
        return tuple(number for number, operand in enumerate(operands) if operand.lifetime == lifetime)

    operations = tuple(
        replace(
            operation,
            inputs=tuple(place[i] for i in operation.inputs),
            outputs=tuple(place[i] for i in operation.outputs),
        )
        for operation in main.operations
    )
    graph = TestSubgraph(operands, operations, listed(_L.SUBGRAPH_INPUT), listed(_L.SUBGRAPH_OUTPUT))
    return replace(test, main=graph), order


def parameters(test: TestModel) -> frozenset[int]:
    """Operands that are attributes: scalars, and tensors whose values decide shapes or rules, such as axes."""
    found = set()
    for operation in test.main.operations:
        inputs, outputs = (
            [argument_of(test.main.operands[index], None) for index in side]
            for side in (operation.inputs, operation.outputs)
        )
        formals = bound_formals(declarations()[operation.type], inputs, outputs)
        for index, formal in zip(operation.inputs, formals, strict=False):
            if formal.parameter or not type_info(test.main.operands[index].type).is_tensor:
                found.add(index)
    return frozenset(found)


def signature(test: TestModel) -> str:
    """Return a digest that equal fragments share, as hexadecimal digits; operands in order of use."""
    attributes = parameters(test)
    operations = [(int(operation.type), operation.inputs, operation.outputs) for operation in test.main.operations]
    operands = [
        _described(operand, is_attribute=index in attributes) for index, operand in enumerate(test.main.operands)
    ]
    text = repr((operations, operands, list(_equal_codes(test)), test.is_relaxed))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def name_of(test: TestModel) -> str:
    """Names of the operations and the signature, as the name of a file."""
    operations = [operation_name(operation.type).lower().replace("::", "_") for operation in test.main.operations]
    return "_".join([*operations[:_MOST_NAMED], signature(test)])


def _described(operand: TestOperand, *, is_attribute: bool) -> tuple[Any, ...]:
    is_constant = operand.lifetime in CONSTANTS
    value = operand.data.tolist() if is_attribute and is_constant and operand.data is not None else None
    channel = operand.channel_quant.channel_dim if operand.channel_quant else None
    lifetime = "constant" if is_constant else int(operand.lifetime)
    return int(operand.type), operand.dimensions, lifetime, channel, value


def _equal_codes(test: TestModel) -> Iterator[int]:
    """For each operand with a zero point the first of equal scale and zero point: codes may be moved as they are."""
    first: dict[tuple[int, float, int], int] = {}
    for index, operand in enumerate(test.main.operands):
        if type_info(operand.type).is_quantized:
            yield first.setdefault((operand.type, operand.scale, operand.zero_point), index)
