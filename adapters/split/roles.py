"""Roles of memory in a plan: the steps that read or write an operand, by which device memory is given out.

Control flow that is interpreted hands its values on, so a value has the roles of all operands that it becomes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from nnvet.adapters.split.interpreting import FIRST_VALUE, part_models
from nnvet.adapters.split.steps import INTERPRETER, SplitStep
from nnvet.hal.enums import OperationType
from nnvet.hal.types import Model


class PlanOfSteps(Protocol):
    """A plan for a model, with plans for the parts of control flow that is interpreted."""

    @property
    def model(self) -> Model:
        """The model."""

    @property
    def source(self) -> tuple[int, ...]:
        """Operations and parts that lead to it, none for the client's."""

    @property
    def parts(self) -> Mapping[int, Sequence[PlanOfSteps]]:
        """Plans for the models of control flow, by operation."""

    def steps(self, preference: int) -> list[SplitStep]:
        """The steps for a client of this preference."""


class StepRole(NamedTuple):
    """A use of an operand by a step: its device, and whether it reads or writes it."""

    device: int
    is_input: bool


class SourceOperand(NamedTuple):
    """An operand of the client's model, whose ``source`` is empty, or of a part of its control flow."""

    source: tuple[int, ...]
    operand: int


Roles = defaultdict[SourceOperand, set[StepRole]]
_CONDITION: Final = 0
_BODY: Final = 1


def roles_of(plan: PlanOfSteps, preference: int) -> Roles:
    """Roles of all operands of a plan, for a client of this preference.

    :raises HalError: no device supports some operation.
    """
    roles: Roles = defaultdict(set)
    _add(plan, preference, roles)
    return roles


def _add(plan: PlanOfSteps, preference: int, roles: Roles) -> None:
    for step in plan.steps(preference):
        if step.device != INTERPRETER:
            # A model that is not cut keeps inputs that no operation reads.
            operations = [plan.model.main.operations[place] for place in step.operations]
            for is_input in (True, False):
                used = {index for one in operations for index in (one.inputs if is_input else one.outputs)}
                for index in used.intersection(step.inputs if is_input else step.outputs):
                    roles[SourceOperand(plan.source, index)].add(StepRole(step.device, is_input))
            continue
        for part in plan.parts[step.operations[0]]:
            _add(part, preference, roles)
        _add_handed_on(plan, step, roles)


def _add_handed_on(plan: PlanOfSteps, step: SplitStep, roles: Roles) -> None:
    """Give what control flow reads and writes the roles of what its parts make of it."""
    (place,) = step.operations
    operation = plan.model.main.operations[place]
    kind = OperationType(operation.type)
    sources = [(*plan.source, place, number) for number in (0, 1)]
    mains = [part.main for part in part_models(plan.model, place)]
    read = [SourceOperand(plan.source, index) for index in operation.inputs[FIRST_VALUE[kind] :]]
    inner = [
        [SourceOperand(source, index) for index in main.input_indexes]
        for source, main in zip(sources, mains, strict=True)
    ]
    written = [
        [SourceOperand(source, index) for index in main.output_indexes]
        for source, main in zip(sources, mains, strict=True)
    ]
    if kind == OperationType.IF:
        outputs = [SourceOperand(plan.source, index) for index in operation.outputs]
        for part in (0, 1):
            for outer, own in (*zip(read, inner[part], strict=True), *zip(outputs, written[part], strict=True)):
                roles[outer] |= roles[own]
        return
    # What a loop begins with, and what a round writes, is what the condition and then the next round reads.
    for condition, body in zip(inner[_CONDITION], inner[_BODY], strict=True):
        roles[condition] |= roles[body]
    for outer, own in (
        *zip(read, inner[_CONDITION], strict=True),
        *zip(written[_BODY], inner[_CONDITION], strict=False),
    ):
        roles[outer] |= roles[own]
