"""The schedule of campaigns: what it reaches, that it follows from numbers alone, and that operations are apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context

import pytest

from docs.random_coverage import everything, reached
from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.chooser import SeededChooser, TurnsChooser
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions, options_of, text_of
from nnvet.generators.random_graphs.schedule import Cell, scheduled, vary
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType

FLOAT = OperandType.TENSOR_FLOAT32
BEFORE = (394, 1189, 847, 1497)
"""Reach of a thousand models, mean of three seeds, where operations are drawn and four of ten models have one alone.

That of 300 such models is 333, 806, 613 and 970."""


def apart(count: int, seed: int = 0) -> list[GraphOptions]:
    """The first options of a campaign whose operations are apart."""
    models = (options for options in vary([GraphOptions()], everything(), seed=seed) if options.scheduled is not None)
    return list(islice(models, count))


def test_three_hundred_models_reach_what_a_thousand_did() -> None:
    """Operations by type, by rank, and alternatives: a schedule that repeats itself or leaves ranks out has fewer."""
    found = reached((300,), 5)[300]
    assert all(number >= before for number, before in zip(found, BEFORE, strict=True)), found


def test_a_round_has_every_cell() -> None:
    """Each operation and rank once at least, also in the next round, and none much more often than it has cells."""
    options = GraphOptions(types=(FLOAT,), operations=(1, 1000))
    first, second = (_cells(options, number, number + 999) for number in (0, 1000))
    every = {(signature.operation, rank) for rank in options.ranks for signature in whole_pool(FLOAT, rank, 8)}
    assert {(cell.signature.operation, cell.rank) for cell in first} == every
    assert {(cell.signature.operation, cell.rank) for cell in second} == every
    counts = Counter(cell.signature.operation for cell in first[: len(every)])
    assert max(counts.values()) <= 8


def _cells(options: GraphOptions, first: int, last: int) -> list[Cell]:
    return scheduled(replace(options, scheduled=(first, last)))


def _made(text: str) -> TestModel:
    return random_model(SeededChooser(text), options_of(text), "made")


def test_the_same_name_is_the_same_model_in_another_process() -> None:
    """Nothing but the text decides, whatever models a process has made before: hashes of strings differ there."""
    texts = [text_of(options) for options in apart(3, seed=7)]
    with get_context("spawn").Pool(1) as pool:
        others = pool.map(_made, reversed(texts))
    assert [str(model) for model in others] == [str(_made(text)) for text in reversed(texts)]


def test_no_operation_reads_another() -> None:
    """A fault of one shows in its own outputs alone."""
    for options in apart(40):
        graph = random_model(SeededChooser("apart"), options).main
        written = {index for operation in graph.operations for index in operation.outputs}
        assert written.isdisjoint(index for operation in graph.operations for index in operation.inputs)
        assert [operation.type for operation in graph.operations] == [
            cell.signature.operation for cell in scheduled(options)
        ]


def test_further_operations_may_read_scheduled_ones() -> None:
    """Options of more operations than the schedule gives have the others after those."""
    options = GraphOptions(types=(FLOAT,), operations=(6, 6), scheduled=(10, 12))
    models = [random_model(SeededChooser(f"more/{seed}"), options).main for seed in range(20)]
    assert {len(graph.operations) for graph in models} == {6}
    first = {index for graph in models for operation in graph.operations[:3] for index in operation.outputs}
    assert any(first.intersection(operation.inputs) for graph in models for operation in graph.operations[3:])


def test_only_what_is_claimed_is_scheduled() -> None:
    """Of a driver of few operations no other is in any model."""
    claimed = {FLOAT: (OperationType.ADD, OperationType.CONV_2D), OperandType.TENSOR_INT32: (OperationType.ADD,)}
    wanted = GraphOptions(only=(OperationType.ADD,))
    for options in islice(vary([wanted], claimed), 60):
        for cell in scheduled(options):
            assert cell.signature.operation in claimed[cell.kind]


@pytest.mark.parametrize("numbers", [(-1, 3), (5, 4), (0, 10)])
def test_numbers_that_no_model_has_are_refused(numbers: tuple[int, int]) -> None:
    """A case with such options would have no model."""
    with pytest.raises(ValueError, match="scheduled operations"):
        GraphOptions(scheduled=numbers)


def test_few_alternatives_take_turns() -> None:
    """As many turns as a decision has alternatives have each of them, and two decisions go together in other ways."""
    drawn = [
        (chooser.boolean(), chooser.integer(0, 2), chooser.pick("abcd"))
        for chooser in (TurnsChooser(SeededChooser("turns"), "ADD", turn) for turn in range(24))
    ]
    for block in range(0, 24, 4):
        assert sorted(letter for _, _, letter in drawn[block : block + 4]) == ["a", "b", "c", "d"]
    assert len(set(drawn)) > 12
