"""Decisions made from bytes: any bytes will do, equal ones decide alike, and after the last the least is chosen."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.generators.random_graphs.chooser import BytesChooser, PlainBytes
from nnvet.generators.random_graphs.models import random_model
from nnvet.graphs.hal_model import build_model


class Provider:
    """Another source with the methods of a fuzzer's."""

    def __init__(self, seed: int) -> None:
        """Begin a stream."""
        self._random = Random(seed)

    def ConsumeIntInRange(self, low: int, high: int) -> int:  # noqa: N802 - the fuzzer's name
        """Any number."""
        return self._random.randint(low, high)

    def ConsumeBytes(self, size: int) -> bytes:  # noqa: N802 - same
        """Any bytes, sometimes fewer."""
        return self._random.randbytes(size // 2)


@given(st.binary(max_size=20), st.integers(-(2**40), 2**40), st.integers(0, 2**40))
def test_decisions_are_within_bounds(data: bytes, low: int, width: int) -> None:
    """Whatever the bytes are, and once there are none left."""
    chooser = BytesChooser(data)
    for _ in range(6):
        assert low <= chooser.integer(low, low + width) <= low + width
        assert 1 < chooser.real(1, 3) <= 3
        assert chooser.pick("abc") in "abc"
        assert len(chooser.raw(5)) == 5
    used_up = BytesChooser(b"")
    assert used_up.integer(low, low + width) == low
    assert used_up.pick("abc") == "a"
    assert used_up.raw(3) == bytes(3)
    assert not used_up.boolean(0.99)
    assert used_up.boolean(1.0)
    assert not BytesChooser(b"\xff").boolean(0.0)


def test_bytes_are_taken_from_the_front() -> None:
    """Each number takes as few as hold it."""
    source = PlainBytes(bytes([7, 1, 2, 9]))
    assert source.ConsumeIntInRange(0, 255) == 7
    assert source.ConsumeIntInRange(0, 256) == (1 + 2 * 256) % 257
    assert source.ConsumeIntInRange(5, 5) == 5
    assert source.ConsumeBytes(9) == b"\x09"


@pytest.mark.parametrize("size", [0, 30, 3000])
def test_equal_bytes_give_equal_models(size: int) -> None:
    """And others other ones, if there are any."""
    data = Random(size).randbytes(size)
    first, second = (build_model(random_model(BytesChooser(data))) for _ in range(2))
    assert first == second
    if size:
        assert build_model(random_model(BytesChooser(data[1:]))) != first


def test_any_provider_will_do() -> None:
    """Of the fuzzer's object no more than two methods are used."""
    first, second = (build_model(random_model(BytesChooser(Provider(3)))) for _ in range(2))
    assert first == second
