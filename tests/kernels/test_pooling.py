"""AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D against the second implementation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import convolution as golden
from nnvet.oracle.operations.activation import activate, code_bounds
from nnvet.oracle.operations.convolution import Steps
from tests.kernels.movement import flag, like, number, whole
from tests.kernels.random_operands import CODES, FLOATS, assert_close, assert_exact, code_range, operands
from tests.kernels.sliding import Geometry, geometries, in_layout
from tests.single import run_single, tensor

SOME = settings(derandomize=True, deadline=None, max_examples=80)
OF: dict[tuple[O, bool], golden.OfWindows] = {
    (O.AVERAGE_POOL_2D, False): golden.mean,
    (O.AVERAGE_POOL_2D, True): golden.mean_unsigned,
    (O.MAX_POOL_2D, False): golden.largest,
    (O.MAX_POOL_2D, True): golden.largest,
    (O.L2_POOL_2D, False): golden.root_mean_square,
}


def check(operation: O, images: Argument, geometry: Geometry, code: int, *, nchw: bool, layout: bool) -> None:
    """Codes are exactly the expected ones, floats within a few roundings, with constants and without."""
    kind = T(images.type)
    of = golden.mean_signed if (operation, kind) == (O.AVERAGE_POOL_2D, CODES[1]) else OF[operation, kind in CODES]
    expected = golden.pool(whole(images), geometry.cells, geometry.steps, of)
    height, width = geometry.cells
    inputs = [in_layout(images, nchw=nchw), *geometry.padding, *geometry.strides, number(width), number(height)]
    inputs += [number(code), flag(value=nchw)] if layout else [number(code)]
    for constants in (True, False):
        (result,) = run_single(operation, inputs, [like(images)], constants=constants)
        if nchw:
            result = result.transpose(0, 2, 3, 1)
        if kind in FLOATS:
            tolerance = (2**-10, 2**-20) if kind == T.TENSOR_FLOAT16 else (1e-6, 1e-5)
            assert_close(result, expected.dims, [activate(x, code) for x in expected.values], tolerance)
        else:
            low, high = code_bounds(code, images.scale, images.zero_point, *code_range(kind))
            assert_exact(result, expected.dims, [min(max(q, low), high) for q in expected.values])


@pytest.mark.parametrize("operation", [O.AVERAGE_POOL_2D, O.MAX_POOL_2D, O.L2_POOL_2D])
@SOME
@given(data=st.data(), geometry=geometries(dilation=1), code=st.sampled_from((0, 0, 1, 2, 3)), nchw=st.booleans())
def test_pooling(operation: O, data: st.DataObject, geometry: Geometry, code: int, nchw: bool) -> None:
    """Every type, padding, stride, layout and activation."""
    kinds = FLOATS if operation == O.L2_POOL_2D else (*FLOATS, *CODES)
    shape = (data.draw(st.integers(1, 2)), *geometry.size, data.draw(st.integers(1, 3)))
    images = data.draw(operands(data.draw(st.sampled_from(kinds)), shape))
    check(operation, images, geometry, code, nchw=nchw, layout=nchw or data.draw(st.booleans()))


@pytest.mark.parametrize("kind", CODES)
def test_average_rounds_halves_away_from_zero(kind: T) -> None:
    """Means of two codes that end in one half, on both sides of zero."""
    low, high = code_range(kind)
    pairs = [(low, low + 1), (low + 100, low + 101), (high - 1, high), (high, high)]
    images = tensor(kind, np.array(pairs).reshape(4, 1, 2, 1), 0.5, low + 3)
    inputs = [images, *map(number, (2, 1, 1, 2, 1, 0))]
    (result,) = run_single(O.AVERAGE_POOL_2D, inputs, [like(images)])
    # Unsigned: 0.5, 100.5, 254.5, 255; signed: -127.5, -27.5, 126.5, 127.
    expected = [1, 101, 255, 255] if low == 0 else [-128, -28, 127, 127]
    assert result.reshape(-1).tolist() == expected


def test_wide_window_of_a_narrow_image() -> None:
    """A window much larger than the image costs no more than the image: every cell is found in every window."""
    size = 2**20
    images = tensor(T.TENSOR_FLOAT32, [[[[3.0]]]])
    steps = (size - 1, size - 1, 0, 0, 2**18, 1, size, 1, 0)
    (result,) = run_single(O.MAX_POOL_2D, [images, *map(number, steps)], [like(images)])
    # (1 - 2^20 + 2^18 + 2 (2^20 - 1)) div 2^18 = 4 windows.
    assert_exact(result, (1, 1, 4, 1), [3.0] * 4)


def test_infinities_become_finite() -> None:
    """The clamp of every activation, NONE included, makes the largest finite numbers of infinities; NaN stays."""
    values = [np.inf, -np.inf, np.nan]
    images = tensor(T.TENSOR_FLOAT32, np.array(values).reshape(3, 1, 1, 1))
    largest = float(np.finfo(np.float32).max)
    for operation in (O.AVERAGE_POOL_2D, O.MAX_POOL_2D):
        (result,) = run_single(operation, [images, *map(number, (2, 1, 1, 1, 1, 0))], [like(images)])
        assert_exact(result, (3, 1, 1, 1), [largest, -largest, np.nan])


def test_steps_name_width_first() -> None:
    """Strides and filter sizes are given width before height: 2 x 1 windows in steps of 2 x 1."""
    images = tensor(T.TENSOR_FLOAT32, np.arange(8.0).reshape(1, 2, 4, 1))
    geometry = Geometry(Steps(stride=(2, 1)), (1, 2), (2, 4), (number(2),), (number(2), number(1)), ())
    check(O.MAX_POOL_2D, images, geometry, 0, nchw=False, layout=False)
    (result,) = run_single(O.MAX_POOL_2D, [images, *map(number, (2, 2, 1, 2, 1, 0))], [like(images)])
    assert_exact(result, (1, 2, 2, 1), [1.0, 3.0, 5.0, 7.0])
