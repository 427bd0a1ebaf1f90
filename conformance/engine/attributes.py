"""Attributes of a spec's case: what tells the cases of one operation apart, by which reports contrast failing ones."""

from __future__ import annotations

from typing import Final

from nnvet.generators.graphs.model import TestOperand
from nnvet.generators.specs.case import SpecCase
from nnvet.generators.specs.operands import SpecOperand
from nnvet.hal.enums import FusedActivationFunc, OperandLifeTime, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import bound_formals
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Formal

_CONSTANTS: Final = (OperandLifeTime.CONSTANT_COPY, OperandLifeTime.CONSTANT_REFERENCE)
_MOST_NUMBERS: Final = 8
"""Elements of a list of axes, sizes or paddings that is an attribute; longer ones are data."""
_NAMES: Final[dict[str, dict[int, str]]] = {
    "activation": {int(code): code.name for code in FusedActivationFunc},
    "padding": {1: "SAME", 2: "VALID"},
    "layout": {0: "NHWC", 1: "NCHW"},
}
"""Names of the codes of attributes, as the contract has them; other attributes are numbers."""


def attributes_of(spec: SpecCase) -> dict[str, str]:
    """Attributes of the one operation that a case is about, by name: ``{"rank": "4", "padding": "SAME", …}``.

    Values of constant scalars and short lists, the rank of the first tensor, which tensors are constant, and which
    operands are omitted. Empty where a case has several operations, or is wrong on purpose.
    """
    main = spec.outline.main
    # Operands that a variation moves inside the graph come from an ADD of their own.
    moved = OperationType.ADD if spec.traits.has_placeholders else None
    operations = [operation for operation in main.operations if operation.type != moved]
    if len(operations) != 1 or spec.expect_failure:
        return {}
    (operation,) = operations
    declaration = declarations().get(operation.type)
    if declaration is None:
        return {}
    arguments, results = (
        [_argument(main.operands[index]) for index in side] for side in (operation.inputs, operation.outputs)
    )
    try:
        formals = bound_formals(declaration, arguments, results)
    except HalError:
        return {}
    sources = list(spec.model.operands.values())
    pairs = [(formal, sources[index]) for formal, index in zip(formals, operation.inputs, strict=True)]
    return _shape_of(pairs) | {
        formal.name: value for formal, operand in pairs if (value := _value_of(formal, operand)) is not None
    }


def _argument(operand: TestOperand) -> Argument:
    return Argument(operand.type, operand.dimensions)


def _shape_of(pairs: list[tuple[Formal, SpecOperand]]) -> dict[str, str]:
    tensors = [(formal, operand) for formal, operand in pairs if type_info(operand.outline.type).is_tensor]
    found = {} if not tensors else {"rank": str(len(tensors[0][1].outline.dimensions))}
    constant = [formal.name for formal, operand in tensors if operand.lifetime in _CONSTANTS and not formal.parameter]
    omitted = [formal.name for formal, operand in pairs if formal.omissible and not operand.has_values]
    found |= {"constants": ", ".join(constant)} if constant else {}
    return found | ({"omitted": ", ".join(dict.fromkeys(omitted))} if omitted else {})


def _value_of(formal: Formal, operand: SpecOperand) -> str | None:
    """Return the value of an attribute; None: it is none, or known only when the model runs."""
    is_tensor = type_info(operand.outline.type).is_tensor
    if (is_tensor and not formal.parameter) or operand.lifetime not in _CONSTANTS or not operand.has_values:
        return None
    data = operand.finished.data
    if data is None or data.size > _MOST_NUMBERS:
        return None
    numbers = [number.item() for number in data]
    if is_tensor:
        return str(numbers)
    code = int(numbers[0])
    return _NAMES[formal.name].get(code, str(code)) if formal.name in _NAMES else f"{numbers[0]:g}"
