"""EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND, LOGICAL_OR of numbers or arrays.

Written from their pages in docs/contract/operations.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.arithmetic import broadcast
from nnvet.oracle.operations.invocation import Invocation, Meaning
from nnvet.oracle.operations.quantization import dequantize
from nnvet.oracle.operations.tensor import Tensor, choose

RELATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "EQUAL": lambda x, y: x == y,
    "NOT_EQUAL": lambda x, y: x != y,
    "LESS": lambda x, y: x < y,
    "LESS_EQUAL": lambda x, y: x <= y,
    "GREATER": lambda x, y: x > y,
    "GREATER_EQUAL": lambda x, y: x >= y,
    "LOGICAL_AND": lambda x, y: (x != 0) & (y != 0),
    "LOGICAL_OR": lambda x, y: (x != 0) | (y != 0),
}


def relation(name: str, x: Any, y: Any) -> Any:
    """1 or 0 for numbers (or bytes of booleans)."""
    return choose(RELATIONS[name](x, y), 1, 0)


def relation_of_codes(name: str, x: tuple[Any, float, int], y: tuple[Any, float, int]) -> Any:
    """1 or 0 for (code, scale, zero point) of either side, compared as float32 values."""
    return relation(name, dequantize(*x), dequantize(*y))


def _compared(name: str, call: Invocation) -> Tensor:
    """Inputs: two tensors."""
    sides = [value.quantization for value in call.inputs]
    if call.is_float or call.inputs[0].type in (OperandType.TENSOR_INT32, OperandType.TENSOR_BOOL8):
        return broadcast(call.raw(0), call.raw(1), partial(relation, name))
    return broadcast(call.whole(0), call.whole(1), lambda x, y: relation_of_codes(name, (x, *sides[0]), (y, *sides[1])))


MEANINGS: Final = {O[name]: Meaning(partial(_compared, name)) for name in RELATIONS}
