"""Operands of recurrent operations as arguments, and rules broken by changing one of them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from nnvet.generators.corpus.recurrent_operands import Sizes
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.declaration import Argument
from tests.single import omitted, tensor

Values = dict[str, Any]
Break = Callable[[Values], None]

SCALARS = {
    T.TENSOR_FLOAT32: {"cell_clip": T.FLOAT32, "projection_clip": T.FLOAT32},
    T.TENSOR_FLOAT16: {"cell_clip": T.FLOAT16, "projection_clip": T.FLOAT16},
}
COMMON_SCALARS = {"activation": T.INT32, "rank": T.INT32, "time_major": T.BOOL, "merge_outputs": T.BOOL}
SEEDS = st.integers(0, 2**32 - 1).map(np.random.default_rng)
SIZES = st.builds(
    Sizes,
    batch=st.integers(1, 3),
    steps=st.integers(1, 3),
    input=st.integers(1, 3),
    aux=st.integers(1, 3),
    units=st.integers(1, 4),
    output=st.integers(1, 3),
)
TOLERANCES = {
    np.dtype(np.float32): (2e-5, 5e-6),
    np.dtype(np.float16): (2e-3, 1e-3),
}
"""Relative and absolute: float32 sums in another order through a few steps; float16 rounded once at the end."""


def arguments(names: Sequence[str], values: Values, kind: T, **types: T) -> list[Argument]:
    """Arguments in the order of ``names``; tensors have type ``kind``, a value of None is omitted."""
    chosen = {**COMMON_SCALARS, **SCALARS.get(kind, {}), **types}
    return [
        omitted(chosen.get(name, kind)) if values[name] is None else tensor(chosen.get(name, kind), values[name])
        for name in names
    ]


def assert_outputs_close(results: Sequence[Any], expected: Sequence[Any]) -> None:
    """Same shapes, and values within the tolerance of the type; None is not compared."""
    for result, wanted in zip(results, expected, strict=True):
        if wanted is not None:
            assert result.shape == np.shape(wanted)
            relative, absolute = TOLERANCES[result.dtype]
            np.testing.assert_allclose(result, np.array(wanted), rtol=relative, atol=absolute)


def setting(**changes: Any) -> Break:
    """Give operands other values."""
    return lambda values: values.update(changes)


def growing(name: str, axis: int = -1) -> Break:
    """Make an operand one longer along an axis."""

    def grow(values: Values) -> None:
        array = np.array(values[name])
        padding = [(0, 0)] * array.ndim
        padding[axis] = (0, 1)
        values[name] = np.pad(array, padding)

    return grow
