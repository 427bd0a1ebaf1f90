"""Plans: everything about a call that can be decided before its input has values.

A plan is a function from the input's array to the output's. It is kept for as long as all other operands are
constant, for one input shape and quantisation at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array

Plan: TypeAlias = Callable[[Array], Array]


def planned(call: Call, prepare: Callable[[Call], Plan]) -> Array:
    """Output of ``call`` by the plan that ``prepare`` makes, or has made for the same shape and quantisation."""
    source, output = call["input"], call.output
    key = (source.dimensions, source.scale, source.zero_point, output.scale, output.zero_point)
    kept: dict[object, Plan] = call.memo("plans", [name for name in call.inputs if name != "input"], dict)
    plan = kept.get(key)
    if plan is None:
        plan = prepare(call)
        # One at a time: the packed constants of many shapes would add up.
        kept.clear()
        kept[key] = plan
    return plan(source.array)
