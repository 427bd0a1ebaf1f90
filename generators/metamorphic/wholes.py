"""The same operations as another whole: in two models, in another order, with more outputs, twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from nnvet.generators.graphs.editor import relisted, with_operand
from nnvet.generators.graphs.model import Array, TestModel, TestOperation, TestSubgraph
from nnvet.generators.metamorphic.operands import is_value
from nnvet.generators.metamorphic.relation import Expected, OtherForm
from nnvet.generators.random_graphs.chooser import Chooser, shuffled
from nnvet.generators.reducer.evaluation import complete
from nnvet.generators.reducer.parts import part_of
from nnvet.hal.enums import OperandLifeTime


def _picked(places: Sequence[int | None]) -> Expected:
    """Outputs of a form that are outputs of the original at these places; None: it has no such output."""
    return lambda outputs: [None if place is None else outputs[place] for place in places]


def partitioned(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Cut between two operations into two models, the second of which is fed with results of the first.

    :raises NotReducibleError: what crosses the cut is empty.
    """
    main, count = test.main, len(test.main.operations)
    cut = chooser.integer(1, count - 1)
    written = {index for operation in main.operations[:cut] for index in operation.outputs}
    read = {index for operation in main.operations[cut:] for index in operation.inputs}
    crossing = sorted(index for index in written & read if index not in main.output_indexes)
    if not crossing:
        return ()
    values = complete(test)[1]
    shown = replace(test, main=replace(main, output_indexes=(*main.output_indexes, *crossing)))
    first, former = part_of(shown, range(cut), None)
    second, latter = part_of(test, range(cut, count), values)
    outputs = [former[index] for index in first.main.output_indexes]
    feeds = {
        place: (0, outputs.index(latter[index]))
        for place, index in enumerate(second.main.input_indexes)
        if latter[index] in outputs
    }
    return (
        OtherForm(first, _picked(_places(main, outputs))),
        OtherForm(second, _picked(_places(main, [latter[index] for index in second.main.output_indexes])), feeds),
    )


def _places(main: TestSubgraph, indexes: Sequence[int]) -> list[int | None]:
    known = main.output_indexes
    return [known.index(index) if index in known else None for index in indexes]


def reordered(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """The operations in another order in which each comes after those that it reads."""
    main = test.main
    orders = [_order(main, pick) for pick in (chooser.pick, _last)]
    other = [
        order
        for order in orders
        if any(operation is not now for operation, now in zip(order, main.operations, strict=True))
    ]
    return [OtherForm(replace(test, main=replace(main, operations=tuple(order)))) for order in other[:1]]


def _order(main: TestSubgraph, pick: Callable[[Sequence[TestOperation]], TestOperation]) -> list[TestOperation]:
    """The operations as they are picked of those whose inputs are written."""
    waiting, order = list(main.operations), list[TestOperation]()
    while waiting:
        unwritten = {index for operation in waiting for index in operation.outputs}
        order.append(pick([operation for operation in waiting if unwritten.isdisjoint(operation.inputs)]))
        waiting.remove(order[-1])
    return order


def _last(operations: Sequence[TestOperation]) -> TestOperation:
    return operations[-1]


def renumbered(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Operands under other numbers; inputs and outputs listed in another order."""
    main = test.main
    order = shuffled(chooser, range(len(main.operands)))
    number = {before: after for after, before in enumerate(order)}
    places = shuffled(chooser, range(len(main.output_indexes)))
    changed = TestSubgraph(
        tuple(main.operands[index] for index in order),
        tuple(_with_indexes(operation, number.__getitem__) for operation in main.operations),
        tuple(number[index] for index in shuffled(chooser, main.input_indexes)),
        tuple(number[main.output_indexes[place]] for place in places),
    )
    return (OtherForm(replace(test, main=changed), _picked(places)),)


def _with_indexes(operation: TestOperation, number: Callable[[int], int]) -> TestOperation:
    return TestOperation(operation.type, tuple(map(number, operation.inputs)), tuple(map(number, operation.outputs)))


def exposed(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """A result between operations is an output, too, and goes on being read."""
    main = test.main
    inner = [
        index
        for index, operand in enumerate(main.operands)
        if operand.lifetime == OperandLifeTime.TEMPORARY_VARIABLE and is_value(operand)
    ]
    if not inner:
        return ()
    index = chooser.pick(inner)
    shown = replace(main.operands[index], lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    changed = relisted(with_operand(main, index, shown), index, OperandLifeTime.SUBGRAPH_OUTPUT)
    return (OtherForm(replace(test, main=changed), _picked([*range(len(main.output_indexes)), None])),)


def doubled(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Two copies of the operations in one model, which read the same inputs and constants, in turn."""
    main = test.main
    written = sorted({index for operation in main.operations for index in operation.outputs})
    copies = {index: len(main.operands) + place for place, index in enumerate(written)}
    again = [_with_indexes(operation, lambda index: copies.get(index, index)) for operation in main.operations]
    changed = TestSubgraph(
        (*main.operands, *(main.operands[index] for index in written)),
        tuple(operation for pair in zip(main.operations, again, strict=True) for operation in pair),
        main.input_indexes,
        (*main.output_indexes, *(copies[index] for index in main.output_indexes)),
    )
    return (OtherForm(replace(test, main=changed), _twice),)


def _twice(outputs: Sequence[Array]) -> Sequence[Array]:
    return [*outputs, *outputs]
