"""Wrong outputs are described by the altered model that has them; their numbers come from numpy, or by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from nnvet.conformance.kit.alterations import describe_alteration, describe_precision
from nnvet.generators.specs.loader import load_spec

Array = npt.NDArray[Any]

CODES = np.array([100, 120, 140, 160, 180, 200])
OTHERS = CODES[[2, 0, 5, 1, 4, 3]]
SOURCE = np.random.default_rng(5)
ROWS = SOURCE.uniform(-1, 1, (3, 64)).astype(np.float32)
WEIGHTS = SOURCE.uniform(-1, 1, (5, 64)).astype(np.float32)
LINE = [3.0, 1.0, 4.0, 1.5, 9.0, 2.0, 6.0, 5.0]
LOGITS = np.array([0.0, 1.0, 2.0, 4.0, -1.0])


def spec(inputs: str, operation: str, output: str, given: object, due: Array) -> str:
    """A spec of one operation and one example."""
    return (
        f"{inputs}\ny = Output('y', {output})\nmodel = Model().Operation({operation}).To(y)\n"
        f"Example({{{given}, y: {due.reshape(-1).tolist()}}}, model=model).DisableLifeTimeVariation()\n"
    )


def added_codes(zero_point: int) -> Array:
    """Sums of codes of the scale 1/2; those of the output have the scale 1 and the zero point 20."""
    sums = (CODES - 100) / 2 + (OTHERS - zero_point) / 2
    return np.clip(np.round(sums) + 20, 0, 255).astype(np.uint8)


QUANTISED = "('TENSOR_QUANT8_ASYMM', [6], {}, {})"
ADD_CODES = spec(
    f"a = Input('a', {QUANTISED.format(0.5, 100)})\nb = Input('b', {QUANTISED.format(0.5, 90)})",
    "'ADD', a, b, 0",
    QUANTISED.format(1.0, 20),
    f"a: {CODES.tolist()}, b: {OTHERS.tolist()}",
    added_codes(90),
)
FLOATS = "('TENSOR_FLOAT32', [8])"
ADD_RELU6 = spec(f"a = Input('a', {FLOATS})", "'ADD', a, a, 3", FLOATS, f"a: {LINE}", np.clip(2 * np.array(LINE), 0, 6))
SUBTRACTED = spec(
    f"a = Input('a', {FLOATS})\nb = Input('b', {FLOATS})",
    "'SUB', a, b, 0",
    FLOATS,
    f"a: {LINE}, b: {LINE[::-1]}",
    np.array(LINE) - np.array(LINE[::-1]),
)
IMAGE = "('TENSOR_FLOAT32', [1, 1, 8, 1])"
POOLED = spec(
    f"a = Input('a', {IMAGE})",
    "'MAX_POOL_2D', a, 1, 1, 1, 2, 1, 0",
    IMAGE,
    f"a: {LINE}",
    np.array([3.0, 4.0, 4.0, 9.0, 9.0, 6.0, 6.0, 5.0]),
)
SOFT = spec(
    "a = Input('a', ('TENSOR_FLOAT32', [1, 5]))",
    "'SOFTMAX', a, 0.5",
    "('TENSOR_FLOAT32', [1, 5])",
    f"a: {LOGITS.tolist()}",
    np.exp(LOGITS / 2) / np.exp(LOGITS / 2).sum(),
)
PRODUCTS = ROWS.astype(np.float64) @ WEIGHTS.T.astype(np.float64)
CONNECTED = spec(
    "a = Input('a', ('TENSOR_FLOAT32', [3, 64]))\n"
    f"w = Parameter('w', ('TENSOR_FLOAT32', [5, 64]), {WEIGHTS.reshape(-1).tolist()})\n"
    "b = Parameter('b', ('TENSOR_FLOAT32', [5]), [0.0] * 5)",
    "'FULLY_CONNECTED', a, w, b, 0",
    "('TENSOR_FLOAT32', [3, 5])",
    f"a: {ROWS.reshape(-1).tolist()}",
    PRODUCTS,
)


def half_sums() -> Array:
    """The products added up in float16, in their order."""
    sums = np.zeros((3, 5), np.float16)
    for place in range(64):
        sums += ROWS[:, place, None].astype(np.float16) * WEIGHTS[None, :, place].astype(np.float16)
    return sums.astype(np.float32)


@pytest.mark.parametrize(
    ("text", "wrong", "says"),
    [
        (ADD_CODES, added_codes(0), "all elements are as if the zero point of input1 were 0, not 90"),
        (ADD_RELU6, 2 * np.array(LINE, np.float32), "all elements are as if the fused activation were NONE, not RELU6"),
        (SUBTRACTED, np.array(LINE[::-1]) - np.array(LINE), "all elements are as if input0 and input1 were exchanged"),
        (
            POOLED,
            np.array([3.0, 3.0, 4.0, 4.0, 9.0, 9.0, 6.0, 6.0]),
            "all elements are as if the odd row or column of padding SAME came first",
        ),
        (SOFT, np.exp(LOGITS) / np.exp(LOGITS).sum(), "all elements are as if beta were 1, not 0.5"),
        (CONNECTED, half_sums(), "errors of both signs, as large as those of sums or products in float16"),
        (CONNECTED, PRODUCTS * 1.0005, ""),
        (CONNECTED, PRODUCTS + 0.5, ""),
        (POOLED, np.array([9.0, 3.0, 1.0, 1.0, 9.0, 3.0, 2.0, 6.0]), ""),
    ],
)
def test_the_altered_model_is_named(text: str, wrong: Array, says: str, tmp_path: Path) -> None:
    """A forgotten zero point, activation and padding, exchanged inputs, another number, halves; else nothing."""
    path = tmp_path / "one.mod.py"
    path.write_text(text)
    test = load_spec(path)[0].build()
    due = test.main.outputs[0].data
    assert due is not None
    result = wrong.astype(due.dtype).reshape(-1)
    assert (describe_alteration(test, 0, result, due) or describe_precision(test, 0, result, due)) == says


def test_few_elements_say_nothing(tmp_path: Path) -> None:
    """Three numbers may fit by chance."""
    path = tmp_path / "one.mod.py"
    path.write_text(ADD_RELU6)
    test = load_spec(path)[0].build()
    due = test.main.outputs[0].data
    assert due is not None
    few = due.copy()
    few[:3] = [7.0, 8.0, 9.0]
    assert describe_alteration(test, 0, few, due) == ""
