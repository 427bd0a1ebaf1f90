"""Bound rules of IF and WHILE: results are those of their subgraphs, and undecided if a condition is undecided."""

from typing import Final

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import EXACT, all_open
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall


def _if(call: EstimatedCall) -> list[Estimate]:
    """Estimate IF (inputs: condition, then branch, else branch, inputs of both)."""
    condition = call.estimate(0)
    found = call.run(call.parameters.number(1 if condition.value.any() else 2), call.inputs[3:])
    return found if condition.is_exact else all_open(found)


def _while(call: EstimatedCall) -> list[Estimate]:
    """Estimate WHILE (inputs: condition graph, body graph, values that the body replaces, values that stay)."""
    condition, body = call.parameters.number(0), call.parameters.number(1)
    values = list(call.inputs[2:])
    is_open = False
    while True:
        (truth,) = call.run(condition, values)
        is_open = is_open or not truth.is_exact
        if not truth.value.any():
            break
        results = call.run(body, values)
        values[: len(results)] = results
    found = [value for value in values[: len(call.outputs)] if value is not None]
    return all_open(found) if is_open else found


_SUBGRAPHS: Final = "by the operations of the subgraphs"
RULES: Final[dict[O, BoundRule]] = {
    operation: BoundRule(of, _SUBGRAPHS, EXACT, "all, where a condition is not decided")
    for operation, of in ((O.IF, _if), (O.WHILE, _while))
}
