"""Requests whose memory stays mapped are executed like others, and release it."""

import gc
import mmap
import struct
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from nnvet.adapters import prepare
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import MappedHandle, close, create_ashmem, keep_mapped, map_memory, mapped
from nnvet.hal.types import (
    Ashmem,
    DataLocation,
    ExecutionConfig,
    ExecutionResult,
    Memory,
    OutputShape,
    Request,
    RequestArgument,
)
from nnvet.reference_driver.device import create
from tests.adapters.models import PAIR_BYTES, add_model
from tests.drivers.burst_drivers import Adds


def add_request(pool: Memory, output_bytes: int = PAIR_BYTES, gap: int = 0) -> Request:
    """Both inputs, then the output in so many bytes, ``gap`` bytes apart."""
    places = [DataLocation(0, (PAIR_BYTES + gap) * index, PAIR_BYTES) for index in range(2)]
    output = RequestArgument(location=DataLocation(0, 2 * (PAIR_BYTES + gap), output_bytes))
    inputs = tuple(RequestArgument(location=place, dimensions=(2,)) for place in places)
    return Request(inputs, (output,), (pool,))


def run(prepared: PreparedModel, request: Request) -> ExecutionResult:
    """One execution."""
    return prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)


def values(pool: Memory, offset: int, count: int = 2) -> list[float]:
    """Floats in the pool."""
    with mapped(pool) as view:
        return list(struct.unpack_from(f"<{count}f", view, offset))


def fill(pool: Ashmem, *numbers: float, gap: int = 0) -> None:
    """Both inputs."""
    with mapped(pool) as view:
        view[:] = b"\xff" * len(view)
        struct.pack_into("<2f", view, 0, *numbers[:2])
        struct.pack_into("<2f", view, PAIR_BYTES + gap, *numbers[2:])


@pytest.fixture
def pool() -> Iterator[Ashmem]:
    """Shared memory."""
    memory = create_ashmem(64)
    yield memory
    close(memory)


@pytest.mark.parametrize("keeps", [False, True], ids=["plain", "lasting"])
@pytest.mark.parametrize("gap", [0, 1], ids=["aligned", "unaligned"])
@pytest.mark.parametrize("declared", [(2,), (0,), ()], ids=["known", "unknown", "unranked"])
def test_results_arrive(pool: Ashmem, declared: tuple[int, ...], gap: int, keeps: bool) -> None:
    """Inputs that change between executions are seen, outputs lie where they belong, and nothing beside them."""
    prepared = prepare(create(), add_model(declared))
    request = add_request(keep_mapped(pool) if keeps else pool, gap=gap)
    for first in (1.0, 5.0, 9.0):
        fill(pool, first, 2, 30, 40, gap=gap)
        result = run(prepared, request)
        assert result.output_shapes == (OutputShape((2,)),)
        assert values(pool, 2 * (PAIR_BYTES + gap)) == [first + 30, 42]
        assert all(np.isnan(values(pool, 3 * (PAIR_BYTES + gap), 5)))


@pytest.mark.parametrize("keeps", [False, True], ids=["plain", "lasting"])
def test_too_short_outputs(pool: Ashmem, keeps: bool) -> None:
    """An output that is too short is reported, and nothing is written."""
    prepared = prepare(create(), add_model((0,)))
    request = add_request(keep_mapped(pool) if keeps else pool, output_bytes=4)
    fill(pool, 1, 2, 3, 4)
    assert run(prepared, request) == ExecutionResult(False, (OutputShape((2,), is_sufficient=False),))
    assert all(np.isnan(values(pool, 2 * PAIR_BYTES)))


def test_both_kinds_of_requests_in_turn(pool: Ashmem) -> None:
    """Equal arguments in other memory, mapped or not, are not taken for the ones before."""
    prepared = prepare(create(), add_model((2,)))
    other = create_ashmem(64)
    fill(pool, 1, 2, 3, 4)
    fill(other, 10, 20, 30, 40)
    requests = {memory: add_request(memory) for memory in (pool, other, keep_mapped(pool), keep_mapped(other))}
    for memory, request in [*requests.items(), *reversed(requests.items())]:
        run(prepared, request)
        expected = [4.0, 6.0] if values(memory, 0) == [1, 2] else [40.0, 60.0]
        assert values(memory, 2 * PAIR_BYTES) == expected
        with mapped(memory) as view:
            view[2 * PAIR_BYTES : 3 * PAIR_BYTES] = bytes(PAIR_BYTES)
    close(other)


def test_memory_is_let_go(pool: Ashmem) -> None:
    """A prepared model does not keep the memory of a request that nobody has any more."""
    prepared = prepare(create(), add_model((2,)))
    memory = keep_mapped(pool)
    request = add_request(memory)
    fill(pool, 1, 2, 3, 4)
    run(prepared, request)
    assert isinstance(memory.handle, MappedHandle)
    view = weakref.ref(memory.handle.view(memory, writable=True))
    del memory, request
    gc.collect()
    assert view() is None
    fill(pool, 1, 2, 3, 4)
    run(prepared, add_request(pool))
    assert values(pool, 2 * PAIR_BYTES) == [4, 6]


@pytest.mark.parametrize("make", [create, Adds], ids=["bundled", "driver kit"])
def test_a_reusable_execution_keeps_its_memory_mapped(
    make: Callable[[], Device], pool: Ashmem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One mapping serves all runs, which see what is in the memory then; it goes with the execution."""
    mappings: list[weakref.ref[mmap.mmap]] = []

    def mapping(memory: Memory, *, writable: bool = True) -> mmap.mmap:
        mappings.append(weakref.ref(made := map_memory(memory, writable=writable)))
        return made

    execution = prepare(make(), add_model((2,))).create_reusable_execution(add_request(pool), ExecutionConfig())
    for first in (1.0, 5.0, 9.0):
        fill(pool, first, 2, 30, 40)
        with monkeypatch.context() as patch:
            patch.setattr("nnvet.hal.memory.map_memory", mapping)
            execution.execute_synchronously(NO_DEADLINE)
        assert values(pool, 2 * PAIR_BYTES) == [first + 30, 42]
    (only,) = mappings
    del execution
    gc.collect()
    assert only() is None
