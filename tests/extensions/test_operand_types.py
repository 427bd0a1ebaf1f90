"""Float types of extensions: formats, storage, bounds, and what a declaration allows a driver."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnvet.extensions.next.codes import TENSOR_BFLOAT16
from nnvet.hal.extensions import VARIABLE
from nnvet.hal.operand_types import ExtensionType, float_format, is_float_array, type_info
from nnvet.oracle.arithmetic.sums import to_bfloat16
from nnvet.oracle.comparison import tolerance_for

torch = pytest.importorskip("torch", reason="the second opinion is PyTorch's")

ROOT = Path(__file__).parents[2]
MODELS = 20


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_formats_are_those_of_pytorch(dtype: str) -> None:
    """Significant bits, the smallest normal number and the largest one; PyTorch's ``eps`` is that of 1."""
    kind = ExtensionType("nnvet.any", 1, 0, "ANY", dtype=dtype, is_tensor=True)
    found, other = float_format(dtype), torch.finfo(getattr(torch, dtype))
    assert (2.0 ** (1 - found.bits), found.smallest, found.largest) == (other.eps, other.tiny, other.max)
    assert found.has_infinity == bool(torch.tensor(torch.inf).to(getattr(torch, dtype)).float().isinf())
    assert (kind.info.size, kind.info.is_float) == (other.bits // 8, True)


def test_bfloat16_is_stored_as_others_store_it() -> None:
    """Every bit pattern decodes, and random numbers round, as in PyTorch; rounding also as in the oracle's own."""
    words = np.arange(2**16, dtype=np.uint16)
    decoded = words.view(type_info(TENSOR_BFLOAT16).dtype).astype(np.float32)
    assert np.array_equal(
        decoded, torch.from_numpy(words.view(np.int16).copy()).view(torch.bfloat16).float().numpy(), equal_nan=True
    )
    numbers = np.random.default_rng(16).standard_cauchy(50_000).astype(np.float32)
    stored = numbers.astype(type_info(TENSOR_BFLOAT16).dtype)
    assert is_float_array(stored)
    rounded = torch.from_numpy(numbers).to(torch.bfloat16).float().numpy()
    assert np.array_equal(stored.astype(np.float32), rounded)
    assert np.array_equal(to_bfloat16(numbers), rounded)


def test_facts_of_a_type_survive_copies() -> None:
    """A copy, which another process gets too, has the same facts."""
    kind = ExtensionType("nnvet.any", 1, 0, "ANY", dtype="bfloat16", is_tensor=True, steps="bfloat16", flushes=False)
    again = copy.deepcopy(kind)
    assert (again.info, again.steps, again.flushes, again.name) == (kind.info, "bfloat16", False, kind.name)
    assert TENSOR_BFLOAT16.steps == "float32"
    assert ExtensionType("nnvet.any", 1, 0, "WIDE", dtype="float64", is_tensor=True).steps == "float64"


def test_unknown_types_are_refused() -> None:
    """A name that neither NumPy nor ml_dtypes has is no type."""
    with pytest.raises(TypeError, match="float9"):
        ExtensionType("nnvet.any", 1, 0, "ANY", dtype="float9", is_tensor=True)


def test_tolerances_of_specs_are_five_units() -> None:
    """As for float16: five times the distance between 1 and the next number, which PyTorch calls eps."""
    tolerance = tolerance_for(TENSOR_BFLOAT16, relaxed=False)
    assert tolerance is not None
    assert tolerance.absolute == tolerance.relative == pytest.approx(5 * torch.finfo(torch.bfloat16).eps)


@pytest.fixture(scope="module")
def session() -> Any:
    """Of each type and driver the number of results within the bounds."""
    environment = {
        **os.environ,
        VARIABLE: "tests.extensions.narrow",
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
    }
    command = [sys.executable, "-m", "tests.extensions.narrow_session"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("kind", ["ROUNDED_ONCE", "ROUNDED_EACH_STEP", "E4M3", "E5M2", "E5M2_FLUSHED"])
def test_honest_drivers_are_right_and_idle_ones_wrong(session: Any, kind: str) -> None:
    """Sums in float32 that are rounded once are right for every type, also with PyTorch's own; zeros never are."""
    assert session[kind]["once"] == session[kind]["torch"] == MODELS
    assert session[kind]["zeros"] == 0


def test_steps_are_judged_as_declared(session: Any) -> None:
    """Sums in bfloat16 are right only where the type says so; cut bits are as large an error."""
    assert session["ROUNDED_EACH_STEP"]["each step"] == MODELS
    assert session["ROUNDED_ONCE"]["each step"] == session["ROUNDED_ONCE"]["cut"] == 0


@pytest.mark.parametrize("kind", ["ROUNDED_ONCE", "E4M3", "E5M2", "E5M2_FLUSHED"])
def test_two_units_are_too_many(session: Any, kind: str) -> None:
    """Results two patterns off are wrong, and so are float8 sums that are rounded at each step."""
    assert session[kind]["two units off"] == session[kind]["each step"] == 0


def test_ends_of_ranges(session: Any) -> None:
    """Subnormal numbers may be lost only where the type says so; without infinity, what is too large is open."""
    assert session["E5M2"]["subnormal"] == session["E5M2_FLUSHED"]["subnormal"] == 1
    assert (session["E5M2"]["flushed"], session["E5M2_FLUSHED"]["flushed"]) == (0, 1)
    assert session["E4M3"]["saturated"] == session["E4M3"]["without number"] == 1
