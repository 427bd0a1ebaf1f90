"""Steps of a model: groups of operations that one device computes, each as a model of its own.

Android's runtime defines the grouping, the order of operands and the lifetimes, so that a driver sees the same models
here as on Android. Inputs of a step come in this order: inputs of the model, then temporaries of other steps, then
outputs of the model that other steps compute. Outputs of a step come in this order: outputs of the model, then
temporaries.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.types import Model, Operand, Operation, Subgraph

_WRITTEN: Final = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)
"""Lifetimes of operands that operations write."""


INTERPRETER: Final = -1
"""The device number of control flow that the host interprets, while devices compute its parts."""


@dataclass(frozen=True)
class SplitStep:
    """Operations of the main subgraph, by index, that ``device`` computes as ``model``, in this order.

    ``inputs`` and ``outputs`` are indexes into the main subgraph's operands; they correspond to those of ``model``.
    """

    device: int
    operations: tuple[int, ...]
    model: Model
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def split_steps(model: Model, assignment: Sequence[int]) -> list[SplitStep]:
    """Cut a valid model into steps, in an order in which they can run. ``assignment`` has a device for each operation.

    If all operations have the same device, there is one step with the model unchanged. Each interpreted operation is a
    step of its own.
    """
    main = model.main
    if len(set(assignment)) == 1 and INTERPRETER not in assignment:
        everything = tuple(range(len(main.operations)))
        return [SplitStep(assignment[0], everything, model, main.input_indexes, main.output_indexes)]
    return [
        step_of(model, device, together)
        for device, operations in group_operations(main, assignment)
        for together in ([(place,) for place in operations] if device == INTERPRETER else [operations])
    ]


def group_operations(main: Subgraph, assignment: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """Return the devices and operations of the steps, in order.

    A step takes all operations of its device that are ready, including those that become ready through it. Next comes
    the device with the highest number that has ready operations: while the others wait, more becomes ready for them.
    Interpreted operations go first.
    """
    readers: defaultdict[int, list[int]] = defaultdict(list)
    missing: list[int] = []
    for place, operation in enumerate(main.operations):
        needed = {index for index in operation.inputs if main.operands[index].lifetime in _WRITTEN}
        missing.append(len(needed))
        for index in needed:
            readers[index].append(place)
    queues: defaultdict[int, deque[int]] = defaultdict(deque)
    for place, count in enumerate(missing):
        if not count:
            queues[assignment[place]].append(place)
    steps = []
    while any(queues.values()):
        waiting = [number for number, queue in queues.items() if queue]
        device = INTERPRETER if INTERPRETER in waiting else max(waiting)
        operations = []
        while queues[device]:
            place = queues[device].popleft()
            operations.append(place)
            for index in main.operations[place].outputs:
                for reader in readers[index]:
                    missing[reader] -= 1
                    if not missing[reader]:
                        queues[assignment[reader]].append(reader)
        steps.append((device, tuple(operations)))
    return steps


def step_of(model: Model, device: int, operations: Sequence[int]) -> SplitStep:
    """Return the step of these operations, which are listed in an order in which they can run."""
    main, own = model.main, set(operations)
    chosen = [main.operations[place] for place in operations]
    written = {index for operation in chosen for index in operation.outputs}
    elsewhere = {
        index for place, operation in enumerate(main.operations) if place not in own for index in operation.inputs
    }
    used = list(dict.fromkeys(index for operation in chosen for index in (*operation.inputs, *operation.outputs)))
    lifetimes = {index: _choose_lifetime(main.operands[index], index in written, index in elsewhere) for index in used}
    inputs = _list_operands(main, lifetimes, OperandLifeTime.SUBGRAPH_INPUT)
    outputs = _list_operands(main, lifetimes, OperandLifeTime.SUBGRAPH_OUTPUT)
    return SplitStep(
        device, tuple(operations), _extract_model(model, chosen, lifetimes, inputs, outputs), inputs, outputs
    )


def _choose_lifetime(operand: Operand, is_written: bool, is_needed: bool) -> int:  # noqa: FBT001 - two facts of a table
    if operand.lifetime not in _WRITTEN:
        return operand.lifetime
    if not is_written:
        return OperandLifeTime.SUBGRAPH_INPUT
    return OperandLifeTime.SUBGRAPH_OUTPUT if is_needed else operand.lifetime


def _list_operands(main: Subgraph, lifetimes: Mapping[int, int], wanted: OperandLifeTime) -> tuple[int, ...]:
    """Return the operands of one lifetime, in the order that the module's docstring gives."""
    chosen = [index for index, lifetime in lifetimes.items() if lifetime == wanted]
    temporary = [index for index in chosen if main.operands[index].lifetime == OperandLifeTime.TEMPORARY_VARIABLE]
    outputs = [index for index in chosen if main.operands[index].lifetime == OperandLifeTime.SUBGRAPH_OUTPUT]
    if wanted is OperandLifeTime.SUBGRAPH_OUTPUT:
        return (*outputs, *sorted(temporary))
    inputs = [index for index in chosen if main.operands[index].lifetime == OperandLifeTime.SUBGRAPH_INPUT]
    return (*inputs, *temporary, *outputs)


def _extract_model(
    model: Model,
    operations: Sequence[Operation],
    lifetimes: Mapping[int, int],
    inputs: Iterable[int],
    outputs: Iterable[int],
) -> Model:
    """Return the model of some operations; pools and subgraphs are kept whole if one of them is used, else dropped."""
    place = {index: number for number, index in enumerate(lifetimes)}
    counted = Counter(index for operation in operations for index in operation.inputs)
    operands = [
        replace(
            model.main.operands[index],
            lifetime=lifetime,
            number_of_consumers=None if model.main.operands[index].number_of_consumers is None else counted[index],
        )
        for index, lifetime in lifetimes.items()
    ]
    main = Subgraph(
        tuple(operands),
        tuple(
            Operation(
                operation.type, tuple(place[i] for i in operation.inputs), tuple(place[i] for i in operation.outputs)
            )
            for operation in operations
        ),
        tuple(place[index] for index in inputs),
        tuple(place[index] for index in outputs),
    )
    kinds = {operand.lifetime for operand in operands}
    has_subgraphs = OperandLifeTime.SUBGRAPH in kinds
    needs_pools = has_subgraphs or OperandLifeTime.CONSTANT_REFERENCE in kinds
    return replace(
        model,
        main=main,
        referenced=model.referenced if has_subgraphs else (),
        pools=model.pools if needs_pools else (),
    )
