"""Advice about a placement: changes of a driver that would avoid borders, and the fastest assignment of devices.

A border is an operand that one device writes and another one reads. ``nnvet partition`` prints the advice, and
:mod:`nnvet.adapters.split.placement` makes the placement.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.placement import AvoidableBorders, Placement, TriedAssignment, measured, random_request
from nnvet.adapters.split.plan import SplitPlan
from nnvet.adapters.split.running import CutModel, cut_model
from nnvet.adapters.split.steps import INTERPRETER, SplitStep, group_operations, split_steps, step_of
from nnvet.hal.types import Model

_RUNS: Final = 3
"""Number of times that an operation is timed alone; the median counts."""
CLAIMED: Final = "as assigned"
"""Name of the assignment that the selector asks for, to which the others are compared."""
FASTEST: Final = "by times of operations"
"""Name of the assignment with the shortest sum of measured times."""


def with_changes(placement: Placement, model: Model) -> Placement:
    """Add changes of single drivers that would reduce the number of steps, the best change first.

    All operations of one kind and type that a driver refuses count as one change: its author would add them together.
    """
    refused: defaultdict[tuple[int, str, str], list[int]] = defaultdict(list)
    for placed in placement.operations:
        for device in placed.refusals:
            refused[device, placed.operation, placed.type].append(placed.index)
    now = [placed.device for placed in placement.operations]
    found = []
    for (device, operation, kind), indexes in refused.items():
        then = [device if index in indexes else own for index, own in enumerate(now)]
        saved = len(placement.steps) - _count_steps(model, then)
        if saved > 0:
            found.append(AvoidableBorders(device, operation, kind, indexes, saved))
    return replace(placement, changes=sorted(found, key=lambda change: (-change.steps, len(change.operations))))


def _count_steps(model: Model, assignment: Sequence[int]) -> int:
    return sum(
        len(operations) if device == INTERPRETER else 1
        for device, operations in group_operations(model.main, assignment)
    )


def with_assignments(placement: Placement, device: SplitDevice, model: Model) -> Placement:
    """Measure other assignments and add them, the fastest first: the best by single operations, and whole devices.

    :raises HalError: a device fails to answer which operations it supports.
    """
    plan = device.plan(model)
    claimed = [placed.device for placed in placement.operations]
    candidates = {CLAIMED: claimed}
    if INTERPRETER not in claimed:
        candidates[FASTEST] = _find_fastest_path(
            [_measure_operations(device, plan, model, number) for number in range(len(device.devices))]
        )
        for number in plan.answers.takers_of_all(range(len(claimed))):
            candidates[f"all on {placement.drivers[number]}"] = [number] * len(claimed)
    request, tried = random_request(model), []
    for name, assignment in candidates.items():
        steps = split_steps(model, assignment)
        times, _, error = measured(plan, _cut(device, model, steps), request, placement.runs)
        total = None if error else median(map(sum, zip(*times, strict=True)))
        tried.append(TriedAssignment(name, assignment, len(steps), total))
    return replace(placement, assignments=sorted(tried, key=lambda attempt: attempt.milliseconds or math.inf))


def _cut(device: SplitDevice, model: Model, steps: Sequence[SplitStep]) -> CutModel:
    return cut_model(model, steps, device.members.levels, device.members.element_bytes(model))


def _measure_operations(device: SplitDevice, plan: SplitPlan, model: Model, number: int) -> list[float]:
    """Return the milliseconds of each operation alone on a device; infinity where it is refused or fails."""
    found = []
    for place in range(len(model.main.operations)):
        time = math.inf
        if plan.answers.supported[number][place]:
            alone = step_of(model, number, (place,)).model
            main = alone.main
            step = SplitStep(number, (0,), alone, main.input_indexes, main.output_indexes)
            times, _, error = measured(device.plan(alone), _cut(device, alone, [step]), random_request(alone), _RUNS)
            time = math.inf if error else median(times[0])
        found.append(time)
    return found


def _find_fastest_path(times: Sequence[Sequence[float]]) -> list[int]:
    """Return a device for each operation, such that the sum of computing and changing devices is smallest.

    A change costs the device's shortest time of any operation: a call with a single operation is mostly the way to the
    driver and back, so its fastest call measures that way. This is a shortest path, found operation by operation.
    """
    shortest = [min(row) for row in times]
    costs = [0.0] * len(times)
    before: list[list[int]] = []
    for place in range(len(times[0])):
        came, reached = [], []
        for device, row in enumerate(times):
            arriving = [
                cost + (0 if other == device and place else shortest[device]) for other, cost in enumerate(costs)
            ]
            best = min(range(len(times)), key=arriving.__getitem__)
            came.append(best)
            reached.append(arriving[best] + row[place] - shortest[device] if row[place] < math.inf else math.inf)
        before.append(came)
        costs = reached
    path = [min(range(len(times)), key=costs.__getitem__)]
    for came in reversed(before[1:]):
        path.append(came[path[-1]])
    return path[::-1]
