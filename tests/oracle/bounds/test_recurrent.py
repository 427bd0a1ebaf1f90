"""Bounds of recurrent operations, against plain loops in float64, float32 and float16."""

from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.precision import Estimate
from tests.oracle.bounds.calls import Operand, estimated, floats, number

Array = np.ndarray[Any, Any]
STEPS, BATCHES, INPUTS, UNITS = 4, 3, 5, 6
TANH, YES = number(4), number(1, OperandType.BOOL)


@pytest.fixture
def tensors() -> list[Array]:
    """Input, weights, recurrent weights, bias and state of an RNN."""
    random = np.random.default_rng(21)
    shapes = ((STEPS, BATCHES, INPUTS), (UNITS, INPUTS), (UNITS, UNITS), (UNITS,), (BATCHES, UNITS))
    return [random.uniform(-0.6, 0.6, shape).astype(np.float32) for shape in shapes]


def rnn(tensors: list[Array], kind: Any, *, terms: int = UNITS) -> tuple[Array, Array]:
    """Outputs of all steps and the last state; with fewer ``terms`` some of the recurrent ones are left out."""
    x, weights, recurrent, bias, state = (tensor.astype(kind) for tensor in tensors)
    outputs = []
    for step in x:
        total = np.broadcast_to(bias, state.shape).astype(kind)
        for k in range(INPUTS):
            total = total + step[:, k, None] * weights[:, k]
        for k in range(terms):
            total = total + state[:, k, None] * recurrent[:, k]
        state = np.tanh(total)
        outputs.append(state)
    return np.stack(outputs), state


def sequence(tensors: list[Array], *, relaxed: bool = False) -> list[Estimate]:
    """Estimates of output and state."""
    operands = [*map(floats, tensors), TANH, YES]
    return estimated(O.UNIDIRECTIONAL_SEQUENCE_RNN, operands, floats([]), floats([]), relaxed=relaxed)


def test_errors_grow_from_step_to_step_and_stay_bounded(tensors: list[Array]) -> None:
    """Float32 is right, float16 only where the model allows it, and a term left out is wrong."""
    found, relaxed = sequence(tensors), sequence(tensors, relaxed=True)
    ideal = rnn(tensors, np.float64)
    np.testing.assert_allclose(found[0].value, ideal[0], atol=1e-12)
    for position, (single, half, short) in enumerate(
        zip(rnn(tensors, np.float32), rnn(tensors, np.float16), rnn(tensors, np.float32, terms=UNITS - 1), strict=True)
    ):
        assert compare_estimate(single, found[position]) is None
        assert compare_estimate(half.astype(np.float32), found[position]) is not None
        assert compare_estimate(half.astype(np.float32), relaxed[position]) is None
        assert compare_estimate(short, found[position]) is not None
    assert found[0].error.max() < 1e-4


def test_float16_cells_round_every_step(tensors: list[Array]) -> None:
    """The states are float16 from step to step."""
    halves = [floats(tensor, OperandType.TENSOR_FLOAT16) for tensor in tensors]
    found = estimated(O.UNIDIRECTIONAL_SEQUENCE_RNN, [*halves, TANH, YES], *halves[:2])
    assert compare_estimate(rnn(tensors, np.float16)[0], found[0]) is None
    wrong = rnn([tensor.astype(np.float16) for tensor in tensors], np.float32, terms=UNITS - 1)[0]
    assert compare_estimate(wrong.astype(np.float16), found[0]) is not None


@pytest.mark.parametrize("first", ["bias", "state", "input"])
def test_one_total_may_run_through_all_terms_in_any_order(first: str) -> None:
    """Large equal terms make the total large early, and every small one after them is rounded to its unit.

    Each of the small terms, 2^-7 * 0.6875, is above half a unit of a total of 12 in float16 (2^-8), so that a running
    total that has the large terms gains a third of a unit by each of them: an honest order, if not the best.
    """
    wide = 40
    random = np.random.default_rng(5)
    parts = {
        "input": [(np.float16(3.0), np.float16(1.0))] * 4,
        "state": [(np.float16(2.0**-7), np.float16(0.6875))] * wide,
        "bias": [(np.float16(1.0), np.float16(0.25))],
    }
    order = sorted(parts, key=lambda name: name != first)
    terms = [part for name in order for part in parts[name]]
    orders = [terms, *([terms[i] for i in random.permutation(len(terms))] for _ in range(20))]
    x, weights = (np.array(column, np.float16)[None] for column in zip(*parts["input"], strict=True))
    state, recurrent = (np.array(column, np.float16)[None] for column in zip(*parts["state"], strict=True))
    # Units are as many as the state has: all rows of weights alike.
    tensors = [x, np.repeat(weights, wide, 0), np.repeat(recurrent, wide, 0), np.full(wide, 0.25, np.float16), state]
    halves = [floats(tensor, OperandType.TENSOR_FLOAT16) for tensor in tensors]
    found = estimated(O.RNN, [*halves, number(0)], halves[4], halves[4])[1]
    for ordered in orders:
        total = np.float16(0)
        for value, weight in ordered:
            total = np.float16(total + np.float16(value * weight))
        assert compare_estimate(np.full((1, wide), total, np.float16), found) is None
    # 12 + 0.25 + 40 * 2^-7 * 0.6875 = 12.46; a large term that is left out is wrong.
    assert compare_estimate(np.full((1, wide), 9.46, np.float16), found) is not None
    assert found.error.max() < 0.5


def logistic(x: Array) -> Array:
    """Of numbers near 0."""
    return 1 / (1 + np.exp(-x))


GATES = ("i", "f", "c", "o")


def lstm(given: dict[str, Array], kind: Any, clip: float) -> tuple[Array, Array]:
    """Output and cell state of one step with peepholes, layer normalisation and projection."""
    v = {name: array.astype(kind) for name, array in given.items()}

    def gate(name: str, cell: Array) -> Array:
        total = v["x"] @ v[f"x{name}"].T + v["h"] @ v[f"h{name}"].T
        if name != "c":
            total = total + cell * v[f"p{name}"]
        deviation = total - total.mean(-1, keepdims=True)
        variance = (deviation * deviation).mean(-1, keepdims=True)
        return deviation / np.sqrt(variance + kind(1e-8)) * v[f"n{name}"] + v[f"b{name}"]

    keep, into = logistic(gate("f", v["c"])), logistic(gate("i", v["c"]))
    cell = np.clip(keep * v["c"] + into * np.tanh(gate("c", v["c"])), -clip, clip)
    output = logistic(gate("o", cell)) * np.tanh(cell)
    return output @ v["project"].T + v["offset"], cell


@pytest.fixture
def cell() -> dict[str, Array]:
    """Tensors of an LSTM by name."""
    random = np.random.default_rng(31)
    outputs = 4
    shapes: dict[str, tuple[int, ...]] = {"x": (BATCHES, INPUTS), "h": (BATCHES, outputs), "c": (BATCHES, UNITS)}
    for name in GATES:
        shapes |= {f"x{name}": (UNITS, INPUTS), f"h{name}": (UNITS, outputs)}
        shapes |= {f"{part}{name}": (UNITS,) for part in "pnb"}
    shapes |= {"project": (outputs, UNITS), "offset": (outputs,)}
    return {name: random.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


def operands_of(cell: dict[str, Array], clip: float) -> list[Operand]:
    """Inputs of LSTM in their order."""
    names = ["x", *(f"x{g}" for g in GATES), *(f"h{g}" for g in GATES), "pi", "pf", "po", *(f"b{g}" for g in GATES)]
    tensors = [floats(cell[name]) for name in (*names, "project", "offset", "h", "c")]
    scalars = [TANH, number(clip, OperandType.FLOAT32), number(0.0, OperandType.FLOAT32)]
    return [*tensors, *scalars, *(floats(cell[f"n{g}"]) for g in GATES)]


def test_a_cell_with_all_its_parts(cell: dict[str, Array]) -> None:
    """Float32 is right; a clip, a peephole and a normalisation that are left out are wrong."""
    clip = 0.5
    found = estimated(O.LSTM, operands_of(cell, clip), *[floats([])] * 4)
    output, state = lstm(cell, np.float64, clip)
    np.testing.assert_allclose(found[3].value, output, atol=1e-9)
    np.testing.assert_allclose(found[2].value, state, atol=1e-9)
    output, state = lstm(cell, np.float32, clip)
    for position, right in ((1, output), (2, state), (3, output)):
        assert compare_estimate(right, found[position]) is None
    assert compare_estimate(lstm(cell, np.float32, 9.0)[1], found[2]) is not None
    for name, other in (("po", np.zeros(UNITS)), ("bf", np.zeros(UNITS)), ("xc", cell["xi"])):
        wrong = lstm({**cell, name: other.astype(np.float32)}, np.float32, clip)[0]
        assert compare_estimate(wrong, found[3]) is not None
    assert not found[0].decided.any()


def test_the_state_of_svdf_moves_by_one() -> None:
    """A memory that does not move, and one of which the last cell is not 0, are wrong."""
    random = np.random.default_rng(41)
    batches, filters, memory, rank = 2, 6, 4, 2
    shapes = ((batches, 3), (filters, 3), (filters, memory), (filters // rank,), (batches, filters * memory))
    x, features, times, bias, state = (random.uniform(-1, 1, shape).astype(np.float32) for shape in shapes)
    operands = [*map(floats, (x, features, times, bias, state)), number(rank), number(0)]
    found = estimated(O.SVDF, operands, floats([]), floats([]))
    slots = state.reshape(batches, filters, memory).copy()
    slots[:, :, -1] = x @ features.T
    output = (slots * times).sum(-1).reshape(batches, -1, rank).sum(-1) + bias
    moved = np.concatenate([slots[:, :, 1:], np.zeros((batches, filters, 1), np.float32)], 2)
    assert compare_estimate(moved.reshape(batches, -1), found[0]) is None
    assert compare_estimate(output, found[1]) is None
    assert compare_estimate(slots.reshape(batches, -1), found[0]) is not None
    assert compare_estimate(output - bias, found[1]) is not None
