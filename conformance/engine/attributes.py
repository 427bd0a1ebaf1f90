"""Attributes of a case, such as padding or rank; reports compare the attributes of failing and passing cases.

:func:`attributes_of` reads them from a spec's case, for the labels of :mod:`nnvet.conformance.engine.selection`;
:func:`attributes_of_test` reads them from a test model. The comparison is in :mod:`nnvet.reports.contrast`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from nnvet.generators.specs.case import SpecCase
from nnvet.graphs.model import TestModel, TestOperand, TestOperation
from nnvet.hal.enums import FusedActivationFunc, OperandLifeTime, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import bound_formals
from nnvet.hal.operations.declaration import Argument, Formal

_CONSTANTS: Final = (OperandLifeTime.CONSTANT_COPY, OperandLifeTime.CONSTANT_REFERENCE)
"""Lifetimes of operands whose value is in the model."""
_MOST_NUMBERS: Final = 8
"""Most elements of a list that counts as an attribute, such as axes, sizes or paddings; longer lists are data."""


class _Source(NamedTuple):
    """The two forms of a spec's operand: ``outline`` may lack the data, ``finished`` has it."""

    outline: TestOperand
    has_values: bool
    finished: Callable[[], TestOperand]


NAMED: Final[dict[str, dict[int, str]]] = {
    "activation": {int(code): code.name for code in FusedActivationFunc},
    "padding": {1: "SAME", 2: "VALID"},
    "layout": {0: "NHWC", 1: "NCHW"},
}
"""Names of codes, by attribute, where the contract has names; all other attributes are numbers."""


def attributes_of(spec: SpecCase) -> dict[str, str]:
    """Return the attributes of the tested operation by name: ``{"rank": "4", "padding": "SAME", …}``.

    Attributes are the values of constant scalars and short lists, the rank of the first tensor, the constant tensors
    and the omitted operands. A case of several operations, or one that is wrong on purpose, has none.
    """
    main = spec.outline.main
    # A variation that turns inputs into internal operands adds an ADD for each; that ADD is not what is tested.
    moved = OperationType.ADD if spec.traits.has_placeholders else None
    operations = [operation for operation in main.operations if operation.type != moved]
    if len(operations) != 1 or spec.expect_failure:
        return {}
    sources = [
        _Source(operand.outline, operand.has_values, partial(getattr, operand, "finished"))
        for operand in spec.model.operands.values()
    ]
    return _collect_attributes(operations[0], main.operands, sources)


def attributes_of_test(test: TestModel) -> dict[str, str]:
    """Return the attributes of a model without a spec; none if it has more than one operation."""
    main = test.main
    if len(main.operations) != 1:
        return {}
    sources = [
        _Source(operand, operand.data is not None and operand.data.size > 0, partial(_return_operand, operand))
        for operand in main.operands
    ]
    return _collect_attributes(main.operations[0], main.operands, sources)


def _return_operand(operand: TestOperand) -> TestOperand:
    """Return the operand, which has its data already."""
    return operand


def _collect_attributes(
    operation: TestOperation, operands: Sequence[TestOperand], sources: Sequence[_Source]
) -> dict[str, str]:
    """Return the attributes of an operation; none without a declaration, or if the declaration does not fit."""
    declaration = every_declaration().get(operation.type)
    if declaration is None:
        return {}
    arguments, results = (
        [_make_argument(operands[index]) for index in side] for side in (operation.inputs, operation.outputs)
    )
    try:
        formals = bound_formals(declaration, arguments, results)
    except HalError:
        return {}
    pairs = [(formal, sources[index]) for formal, index in zip(formals, operation.inputs, strict=True)]
    return _describe_tensors(pairs) | {
        formal.name: value for formal, operand in pairs if (value := _value_of(formal, operand)) is not None
    }


def _make_argument(operand: TestOperand) -> Argument:
    """Return type and dimensions of an operand, as declarations take them."""
    return Argument(operand.type, operand.dimensions)


def _describe_tensors(pairs: list[tuple[Formal, _Source]]) -> dict[str, str]:
    """Return the rank of the first tensor, and the names of constant and of omitted operands."""
    tensors = [(formal, operand) for formal, operand in pairs if type_info(operand.outline.type).is_tensor]
    found = {} if not tensors else {"rank": str(len(tensors[0][1].outline.dimensions))}
    constant = [
        formal.name for formal, operand in tensors if operand.outline.lifetime in _CONSTANTS and not formal.parameter
    ]
    omitted = [formal.name for formal, operand in pairs if formal.omissible and not operand.has_values]
    found |= {"constants": ", ".join(constant)} if constant else {}
    return found | ({"omitted": ", ".join(dict.fromkeys(omitted))} if omitted else {})


def _value_of(formal: Formal, operand: _Source) -> str | None:
    """Return the value of an attribute; None: the operand is none, or is known only when the model runs."""
    is_tensor = type_info(operand.outline.type).is_tensor
    if (is_tensor and not formal.parameter) or operand.outline.lifetime not in _CONSTANTS or not operand.has_values:
        return None
    data = operand.finished().data
    if data is None or data.size > _MOST_NUMBERS:
        return None
    numbers = [number.item() for number in data]
    if is_tensor:
        return str(numbers)
    code = int(numbers[0])
    return NAMED[formal.name].get(code, str(code)) if formal.name in NAMED else f"{numbers[0]:g}"
