"""IF and WHILE: operations that run other subgraphs. Written from their pages in docs/contract/operations."""

from __future__ import annotations

from typing import Final

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue


def _if(call: Invocation) -> list[OperandValue]:
    """Compute the operation. Inputs: truth value, subgraph where true, subgraph where false, inputs of both."""
    return call.run(call.number(1 if call.flag(0) else 2), call.inputs[3:])


def _while(call: Invocation) -> list[OperandValue]:
    """Compute the operation. Inputs: condition, body (both subgraphs), values that the body replaces, values that stay.

    The condition is read first; there is no limit to the rounds.
    """
    condition, body = call.number(0), call.number(1)
    values = list(call.inputs[2:])
    while _truth(call.run(condition, values)):
        results = call.run(body, values)
        values[: len(results)] = results
    return values[: len(call.outputs)]


def _truth(results: list[OperandValue]) -> bool:
    (value,) = results
    return value.array is not None and bool(value.array.item())


MEANINGS: Final = {O.IF: Meaning(_if), O.WHILE: Meaning(_while)}
