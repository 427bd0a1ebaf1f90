"""docs/tutorials/own-operation.md: an operation of an extension is tested in every way, and faults in it are found."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType
from nnvet.hal.extensions import VARIABLE
from nnvet.oracle.bounds.following import BY_MEANING
from nnvet.oracle.bounds.precision import FLOAT32, given
from nnvet.oracle.bounds.rule import EstimatedCall
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "docs" / "examples" / "extension" / "gelu.py"
SESSION = Path(__file__).with_name("extension_session.py")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The answers of a process that knows the extension."""
    command = [sys.executable, str(SESSION), str(tmp_path_factory.mktemp("specs"))]
    environment = {**os.environ, VARIABLE: str(EXTENSION)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_kernel_of_the_tutorial_is_right_in_every_way(session: Any) -> None:
    """Nothing blames it; there is a spec for each of two types in four ranks, and options name the operation."""
    assert session["right"] == []
    assert session["specs"] == 2 * 4
    assert session["options"] is True


@pytest.mark.parametrize(
    ("fault", "finder"), [("cubic_off", "specs"), ("tail_left", "random graphs"), ("row_fails", "fuzzing")]
)
def test_faults_are_found(session: Any, fault: str, finder: str) -> None:
    """One by specs, one by random graphs, one by fuzzing."""
    assert finder in session[fault]


def test_a_fault_in_large_tensors_needs_random_graphs(session: Any) -> None:
    """The generated specs are too small for it: each way finds something of its own."""
    assert "specs" not in session["tail_left"]


def bounds_of(formula: Any, values: Any, error: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Ideal results and bounds of a formula of one float32 tensor, whose elements are off by ``error``."""
    array = np.asarray(values, np.float32)
    tensor = OperandValue(OperandType.TENSOR_FLOAT32, array)
    call = Invocation("TEST", [tensor], [tensor.with_array(None)], lambda _index, _values: [])
    one = given(tensor, FLOAT32)
    assert one is not None
    carried = type(one)(**{name: getattr(one, name) for name in one.__struct_fields__} | {"error": one.error + error})
    meaning = Meaning(lambda invocation: formula(invocation.real(0).array))
    estimated = EstimatedCall(0, meaning, call, [carried], call.outputs, FLOAT32, lambda _i, _v: [])  # type: ignore[arg-type]
    (found,) = BY_MEANING.estimate(estimated)
    return found.value, found.error


FORMULAS = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "leaky": lambda x: np.where(x > 0, x, x / 8),
    "softmax": lambda x: np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True),
    "norm": lambda x: x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1),
    "clipped": lambda x: np.clip(np.maximum(x, -x) ** 2, 0, 3),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_bounds_follow_from_the_meaning(name: str) -> None:
    """The float32 arithmetic of NumPy stays within the bounds, which are narrow; inputs that are off widen them."""
    formula = FORMULAS[name]
    values = np.random.default_rng(3).uniform(-3, 3, (6, 7)).astype(np.float32)
    ideal, bound = bounds_of(formula, values)
    np.testing.assert_allclose(ideal, formula(values.astype(np.float64)), rtol=1e-12)
    assert (np.abs(formula(values) - ideal) <= bound).all()
    assert bound.max() < 1e-4
    off = 1e-3
    shifted, widened = bounds_of(formula, values, off)
    for sign in (-1, 1):
        moved = formula(values.astype(np.float64) + sign * off)
        assert (np.abs(moved - shifted) <= widened).all()


def test_where_a_comparison_is_open_both_alternatives_count() -> None:
    """A step has an error as large as the step next to it, and none farther away."""
    _, bound = bounds_of(lambda x: np.where(x > 0, x * 0 + 1, x * 0), [-1.0, 1e-6, 1.0], error=1e-3)
    assert bound[1] >= 1
    assert max(bound[0], bound[2]) < 1e-2


def test_what_no_error_is_known_of_asks_for_a_rule() -> None:
    """A message says what to give."""
    with pytest.raises(NotImplementedError, match=r"np\.arctan: give a bound rule"):
        bounds_of(np.arctan, [1.0])
