"""Models that ask for absurd amounts of memory or time are refused before anything is taken."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.operations.declaration import Argument
from tests.driver.watching import Watch, watching
from tests.single import omitted, output, run_single, tensor

HUGE = 2**31 - 1
PEAK_BYTES = 2**25
Q8 = (0.5, 128)


@pytest.fixture(scope="module", name="watch")
def _watch() -> Iterator[Watch]:
    with watching() as watch:
        yield watch


def floats(*shape: int) -> Argument:
    """Ones, in no memory."""
    return tensor(T.TENSOR_FLOAT32, np.broadcast_to(np.float32(1), shape))


def codes(*shape: int) -> Argument:
    """8-bit codes, in no memory."""
    return tensor(T.TENSOR_QUANT8_ASYMM, np.broadcast_to(np.uint8(1), shape), *Q8)


def vector(*numbers: int) -> Argument:
    """A tensor of integers."""
    return tensor(T.TENSOR_INT32, numbers)


def table(*rows: Sequence[int]) -> Argument:
    """A matrix of integers."""
    return tensor(T.TENSOR_INT32, rows)


def integers(*numbers: int) -> list[Argument]:
    """Scalars."""
    return [tensor(T.INT32, number) for number in numbers]


def reals(*numbers: float) -> list[Argument]:
    """Scalars."""
    return [tensor(T.FLOAT32, number) for number in numbers]


def flags(*values: bool) -> list[Argument]:
    """Scalars."""
    return [tensor(T.BOOL, value) for value in values]


def operands(*parts: Argument | list[Argument]) -> list[Argument]:
    """Single operands and lists of them in one list."""
    return [operand for part in parts for operand in (part if isinstance(part, list) else [part])]


FLOATS = output(T.TENSOR_FLOAT32)
INTEGERS = output(T.TENSOR_INT32)
NONE = omitted(T.TENSOR_FLOAT32)
WIDE_LSTM = operands(
    [floats(2**10, 1)] * 8,
    [NONE] * 3,
    [floats(2**10)] * 4,
    floats(1, 2**10),
    NONE,
    floats(1, 1),
    floats(1, 2**10),
    integers(4),
    reals(0.0, 0.0),
    flags(True),
    [NONE] * 4,
)
"""A thousand units, projected to one output."""
ONE_REGION = operands(floats(1, 4, 4, 1), floats(1, 4), vector(0))
ONE_BOX = operands(floats(1, 1, 2), floats(1, 1, 4), floats(1, 4), reals(1.0, 1.0, 1.0, 1.0), flags(False))
NO_PADDING = integers(0, 0, 0, 0)

ABSURD: dict[str, tuple[O, list[Argument], list[Argument]]] = {
    "tiles": (O.TILE, [floats(1), vector(HUGE)], [FLOATS]),
    "tiles of a few": (O.TILE, [floats(2**13, 1), vector(1, 2**13)], [FLOATS]),
    "padding": (O.PAD, [floats(1), table((2**30, 2**30))], [FLOATS]),
    "padding of codes": (O.PAD, [codes(1, 1), table((2**15, 0), (2**15, 0))], [output(T.TENSOR_QUANT8_ASYMM, *Q8)]),
    "padding with a value": (O.PAD_V2, operands(floats(1), table((2**30, 0)), reals(1.0)), [FLOATS]),
    "filling": (O.FILL, operands(vector(2**15, 2**15), reals(1.0)), [FLOATS]),
    "filling many dimensions": (O.FILL, operands(vector(*[HUGE] * 1000), reals(1.0)), [FLOATS]),
    "a long list of sizes": (O.FILL, operands(vector(*[HUGE] * 100_000), reals(1.0)), [FLOATS]),
    "a long shape": (O.RESHAPE, [floats(1), vector(*[HUGE] * 100_000)], [FLOATS]),
    "resizing": (O.RESIZE_BILINEAR, operands(floats(1, 1, 1, 1), integers(2**15, 2**15)), [FLOATS]),
    "a wide image made high": (O.RESIZE_BILINEAR, operands(floats(1, 1, 2**12, 1), integers(1, 2**20)), [FLOATS]),
    "resizing to the nearest": (
        O.RESIZE_NEAREST_NEIGHBOR,
        operands(floats(1, 1, 1, 1), integers(HUGE, HUGE), flags(False)),
        [FLOATS],
    ),
    "resizing by a factor": (O.RESIZE_BILINEAR, operands(floats(1, 1, 1, 1), reals(1e9, 1.0)), [FLOATS]),
    "blocks": (O.SPACE_TO_BATCH_ND, [floats(1, 1, 1, 1), vector(1, 1), table((0, 2**30), (0, 2**30))], [FLOATS]),
    "broadcasting": (O.ADD, operands(floats(2**14, 1), floats(1, 2**14), integers(0)), [FLOATS]),
    "comparing": (O.LESS, [floats(2**14, 1), floats(1, 2**14)], [output(T.TENSOR_BOOL8)]),
    "gathering": (O.GATHER, operands(floats(1, 2**14), integers(0), vector(*[0] * 2**14)), [FLOATS]),
    "embedding": (O.EMBEDDING_LOOKUP, [vector(*[0] * 2**14), floats(1, 2**14)], [FLOATS]),
    "a product of matrices": (
        O.BATCH_MATMUL,
        operands(floats(2**14, 1), floats(1, 2**14), flags(False, False)),
        [FLOATS],
    ),
    "long rows": (O.BATCH_MATMUL, operands(floats(2**12, 2**16), floats(2**16, 2**12), flags(False, False)), [FLOATS]),
    "a dense layer": (
        O.FULLY_CONNECTED,
        operands(floats(2**14, 1), floats(2**14, 1), floats(2**14), integers(0)),
        [FLOATS],
    ),
    "draws": (O.RANDOM_MULTINOMIAL, operands(floats(1, 2), integers(HUGE), vector(1, 2)), [INTEGERS]),
    "batches of draws": (O.RANDOM_MULTINOMIAL, operands(floats(2**21, 1), integers(1), vector(1, 2)), [INTEGERS]),
    "padded convolution": (
        O.CONV_2D,
        operands(
            floats(1, 1, 1, 1),
            floats(1, 2, 2, 1),
            floats(1),
            integers(2**27, 2**27, 2**27, 2**27, 1, 1, 0),
            flags(False),
            integers(2**28, 2**28),
        ),
        [FLOATS],
    ),
    "a filter higher than the image is wide": (
        O.DEPTHWISE_CONV_2D,
        operands(
            floats(1, 1, 2**13, 1),
            floats(1, 2**14, 1, 1),
            floats(1),
            integers(0, 0, 2**13, 2**13, 1, 1, 1, 0),
        ),
        [FLOATS],
    ),
    "long windows in groups": (
        O.GROUPED_CONV_2D,
        operands(
            floats(1, 2**14, 2**14, 1),
            floats(1, 2**13, 1, 1),
            floats(1),
            NO_PADDING,
            integers(1, 2**12, 1, 0),
            flags(False),
        ),
        [FLOATS],
    ),
    "a transposed convolution": (
        O.TRANSPOSE_CONV_2D,
        operands(
            floats(1, 2, 2, 1), floats(1, 1, 1, 1), floats(1), NO_PADDING, integers(2**16, 2**16, 0), flags(False)
        ),
        [FLOATS],
    ),
    "many filters, transposed": (
        O.TRANSPOSE_CONV_2D,
        operands(
            floats(1, 2**8, 2**8, 1),
            floats(2**5, 2**4, 2**4, 1),
            floats(2**5),
            NO_PADDING,
            integers(1, 1, 0),
            flags(False),
        ),
        [FLOATS],
    ),
    "windows far apart": (
        O.AVERAGE_POOL_2D,
        operands(floats(1, 1, 1, 1), integers(2**30, 2**30, 0, 0, 2**30, 1, 2**30 + 1, 1, 0)),
        [FLOATS],
    ),
    "windows down a wide image": (
        O.MAX_POOL_2D,
        operands(floats(1, 1, 2**13, 1), integers(0, 0, 2**14, 2**14, 2**13, 1, 1, 2**14 + 1, 0)),
        [FLOATS],
    ),
    "maps of regions": (
        O.ROI_ALIGN,
        operands(ONE_REGION, integers(2**15, 2**15), reals(1.0, 1.0), integers(1, 1), flags(False)),
        [FLOATS],
    ),
    "samples of regions": (
        O.ROI_ALIGN,
        operands(ONE_REGION, integers(2, 2), reals(1.0, 1.0), integers(2**12, 2**12), flags(False)),
        [FLOATS],
    ),
    "bins of regions": (
        O.ROI_POOLING,
        operands(
            floats(1, 2**11, 2**11, 1),
            tensor(T.TENSOR_FLOAT32, [[0, 0, 2**11 - 1, 2**11 - 1]]),
            vector(0),
            integers(2**11, 2**11),
            reals(1.0, 1.0),
            flags(False),
        ),
        [FLOATS],
    ),
    "rows of detections": (
        O.DETECTION_POSTPROCESSING,
        operands(ONE_BOX, integers(HUGE, HUGE, HUGE), reals(0.5, 0.5), flags(False)),
        [FLOATS, FLOATS, INTEGERS, INTEGERS],
    ),
    "steps of an RNN": (
        O.UNIDIRECTIONAL_SEQUENCE_RNN,
        operands(floats(2**21, 1, 1), floats(1, 1), floats(1, 1), floats(1), floats(1, 1), integers(0, 1)),
        [FLOATS],
    ),
    "gates of an LSTM": (O.UNIDIRECTIONAL_SEQUENCE_LSTM, operands(floats(2**16, 1, 1), WIDE_LSTM), [FLOATS]),
    "hashes": (O.LSH_PROJECTION, operands(floats(2**18, 8), floats(2**16), NONE, integers(3)), [INTEGERS]),
}


@pytest.mark.parametrize(("operation", "inputs", "outputs"), ABSURD.values(), ids=ABSURD.keys())
def test_absurd_demands_are_refused(watch: Watch, operation: O, inputs: list[Argument], outputs: list[Any]) -> None:
    """A demand that is too large fails with RESOURCE_EXHAUSTED, and takes neither the memory nor the time."""
    with watch.over(PEAK_BYTES), pytest.raises(HalError) as caught:
        run_single(operation, inputs, outputs)
    assert (caught.value.status, caught.value.rule) == (
        ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT,
        "execution/memory",
    )


def test_huge_radius_is_no_demand(watch: Watch) -> None:
    """A radius beyond the tensor takes no more memory than one that reaches its ends: (1 + 3)^-1 for three ones."""
    inputs = operands(floats(1, 1, 1, 3), integers(HUGE), reals(1.0, 1.0, 1.0))
    with watch.over(PEAK_BYTES):
        (result,) = run_single(O.LOCAL_RESPONSE_NORMALIZATION, inputs, [FLOATS])
    assert result.reshape(-1).tolist() == [0.25] * 3
