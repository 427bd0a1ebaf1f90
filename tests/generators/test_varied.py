"""Variations of campaigns from model to model."""

from itertools import islice

from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.schedule import scheduled, vary
from nnvet.hal.enums import OperandType, OperationType

FLOAT, CODES = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM
CLAIMED = {FLOAT: (OperationType.ADD, OperationType.TANH), CODES: (OperationType.ADD,)}
WANTED = [GraphOptions(types=(FLOAT,), only=(OperationType.TANH,)), GraphOptions(types=(CODES,))]


def test_every_operation_is_apart_in_a_model() -> None:
    """Of thirty models at least one has each operation and type, with tensors large enough for loops with blocks."""
    found = list(islice(vary(WANTED, CLAIMED), 30))
    apart = [options for options in found if options.scheduled is not None]
    cells = [cell for options in apart for cell in scheduled(options)]
    pairs = {(cell.kind, cell.signature.operation) for cell in cells}
    assert pairs == {(kind, operation) for kind, operations in CLAIMED.items() for operation in operations}
    assert all(options.elements == 5000 for options in apart)


def test_sizes_vary() -> None:
    """There are models of few, of ten and of many operations, relaxed ones and some of unknown dimensions."""
    found = list(islice(vary(WANTED, CLAIMED), 40))
    assert {options.operations for options in found} >= {(1, 3), (10, 10), (5, 40)}
    assert {options.relaxed for options in found} == {0.0, 1.0}
    assert {options.unknown for options in found} == {0.0, 0.5}
    connected = [options for options in found if options.scheduled is None]
    assert {options.types for options in connected if options.operations == (10, 10)} == {(FLOAT,), (CODES,)}


def test_what_is_given_stays() -> None:
    """Options of the user are not varied, others are."""
    wanted = GraphOptions(operations=(2, 7), relaxed=0.5)
    found = list(islice(vary([wanted], CLAIMED, {"operations", "relaxed"}), 20))
    assert {(options.operations, options.relaxed) for options in found} == {((2, 7), 0.5)}
    assert {options.elements for options in found} == {1000, 5000}


def test_seeds_decide_what_is_first() -> None:
    """A short campaign with another seed has other operations; with the same one the same."""
    claimed = {FLOAT: tuple(OperationType)[:40]}
    first, again, other = (list(islice(vary(WANTED, claimed, seed=seed), 12)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
