"""The service's side of a burst, with a raw client: execution, memory slots, malformed packets, ends."""

import logging
import mmap
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal import memory as hal_memory
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.memory import close, create_ashmem
from nnvet.hal.types import (
    NO_DEADLINE,
    Ashmem,
    DataLocation,
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    Handle,
    MappableFile,
    OutputShape,
    Request,
    RequestArgument,
    Timing,
)
from nnvet.transport.burst.packets import DATUM_BYTES, ResultPacket, decode_result, encode_request, encode_result
from nnvet.transport.burst.server import BurstServer
from nnvet.transport.message_queue import WRITE_POSITION, QueueDescriptor, create_queue
from tests.adapters.models import PAIR_BYTES, POOL_BYTES, add_model, add_pool, add_request, result_of
from tests.transport.burst_ends import DATUMS, PATIENCE_S, AddModel, RawClient, ScriptedBurst, raw_client

REFUSED = ResultPacket(ErrorStatus.GENERAL_FAILURE)
INVALID = ResultPacket(ErrorStatus.INVALID_ARGUMENT)


def packet_of(request: Request, *slots: int, measure: bool = False) -> bytes:
    """The packet of a request that fits in one."""
    packet = encode_request(request, slots, measure_timing=measure)
    assert packet is not None
    return packet


@pytest.fixture
def pool() -> Iterator[Ashmem]:
    """A pool with the pairs (1, 2) and (3, 4)."""
    with add_pool(1, 2, 3, 4) as pool:
        yield pool


@pytest.fixture
def adding(pool: Ashmem) -> Iterator[RawClient]:
    """A client of a burst that adds, whose slot 0 is the pool."""
    with raw_client(AddModel(add_model()).configure_execution_burst(), {0: pool}) as client:
        yield client


@pytest.mark.parametrize("polling_s", [0.0, 0.001])
def test_executes_again_and_again(pool: Ashmem, polling_s: float) -> None:
    """Sums appear in the memory of the slot, also after the inputs have changed; 1+3, 2+4, 5+3 by hand."""
    packet = packet_of(add_request(pool), 0)
    burst = AddModel(add_model()).configure_execution_burst()
    with raw_client(burst, {0: pool}, polling_s=polling_s) as client:
        assert client.execute(packet) == ResultPacket(ErrorStatus.NONE, (OutputShape((2,)),))
        assert result_of(pool) == (4.0, 6.0)
        with hal_memory.mapped(pool) as view:
            view[:4] = struct.pack("<f", 5)
        assert client.execute(packet).status is ErrorStatus.NONE
        assert result_of(pool) == (8.0, 6.0)
        assert client.asked == [[0]]


def test_driver_gets_what_the_packet_says(pool: Ashmem) -> None:
    """Arguments, slots as memory identifiers and timing come from the packet; there is never a deadline."""
    request = add_request(pool)
    burst = ScriptedBurst(lambda: ExecutionResult(True, (OutputShape((7,)),), Timing(1500, 2001)))
    with raw_client(burst, {5: pool}) as client:
        result = client.execute(packet_of(request, 5, measure=True))
        assert client.execute(packet_of(request, 5)).status is ErrorStatus.NONE
    # In whole microseconds, rounded up (docs/contract/hal.md 6.4).
    assert result == ResultPacket(ErrorStatus.NONE, (OutputShape((7,)),), Timing(2000, 3000))
    (seen, tokens, config, deadline), (_, _, unmeasured, _) = burst.executed
    assert (seen.inputs, seen.outputs) == (request.inputs, request.outputs)
    assert (tokens, config, deadline) == ((5,), ExecutionConfig(measure_timing=True), NO_DEADLINE)
    assert unmeasured == ExecutionConfig()
    ((memory,),) = (seen.pools,)
    assert isinstance(memory, Ashmem)
    assert memory.size == POOL_BYTES


def test_insufficient_outputs_are_reported_with_shapes(pool: Ashmem) -> None:
    """An output that is too small is status 3 with its shape."""
    shapes = (OutputShape((2, 0), is_sufficient=False), OutputShape((1,)))
    with raw_client(ScriptedBurst(lambda: ExecutionResult(False, shapes)), {0: pool}) as client:
        result = client.execute(packet_of(add_request(pool), 0))
    assert result == ResultPacket(ErrorStatus.OUTPUT_INSUFFICIENT_SIZE, shapes)


def raises(error: BaseException) -> Any:
    """A function that raises."""

    def answer() -> NoReturn:
        raise error

    return answer


ANSWERS = {
    "its own status": (raises(invalid("no", "rule/broken")), INVALID, (4, "no", "rule/broken")),
    "a newer status": (
        raises(HalError(ErrorStatus.MISSED_DEADLINE_TRANSIENT, "late")),
        REFUSED,
        (ErrorStatus.MISSED_DEADLINE_TRANSIENT, "late", ""),
    ),
    "no error": (raises(HalError(ErrorStatus.NONE, "all is well")), REFUSED, (2, "all is well", "")),
    "no status": (raises(HalError(77, "77")), REFUSED, (2, "77", "")),  # type: ignore[arg-type]
    "an exception": (raises(KeyError("key")), REFUSED, (2, "KeyError: 'key'", "driver/exception")),
    "the end": (raises(SystemExit(3)), REFUSED, (2, "SystemExit: 3", "driver/exception")),
    "nothing": (lambda: None, REFUSED, (2, "cannot be sent", "driver/reply")),
    "a negative dimension": (
        lambda: ExecutionResult(True, (OutputShape((-1,)),)),
        REFUSED,
        (2, "cannot be sent", "driver/reply"),
    ),
    "a text": (lambda: ExecutionResult(True, ("shape",)), REFUSED, (2, "cannot be sent", "driver/reply")),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("answer", "expected", "explained"), ANSWERS.values(), ids=ANSWERS)
def test_failures_are_reported_and_explained(
    pool: Ashmem, answer: Any, expected: ResultPacket, explained: tuple[int, str, str]
) -> None:
    """Whatever a driver raises or returns becomes a result packet; status, message and rule can be asked for."""
    burst = ScriptedBurst(answer)
    packet = packet_of(add_request(pool), 0)
    with raw_client(burst, {0: pool}) as client:
        assert client.execute(packet) == expected
        status, message, rule = client.server.explanation
        assert (status, rule) == (explained[0], explained[2])
        assert explained[1] in message
        burst.answer = ExecutionResult
        assert client.execute(packet) == ResultPacket(ErrorStatus.NONE)
        assert client.server.explanation == (ErrorStatus.NONE, "", "")


BAD_DATUMS = tuple(
    bytes.fromhex(text).ljust(DATUM_BYTES, b"\0")
    for text in (
        "00000000 0a000000 0a000000 0a000000 0a000000",  # packetInformation {10, 10, 10, 10}
        "01000000 00000000 00000000 00000000 00000000 0a000000",  # inputOperandInformation, 10 dimensions
        "02000000",  # inputOperandDimensionValue 0
        "03000000 00000000 00000000 00000000 00000000 0a000000",  # outputOperandInformation, 10 dimensions
        "04000000",  # outputOperandDimensionValue 0
        "05000000 ffffff7f",  # poolIdentifier INT32_MAX
        "06000000 01000000",  # measureTiming YES
    )
)
"""Datums with which Android's burst test mutates packets."""


def broken(packet: bytes) -> Iterator[bytes]:
    """The packet without each datum, with each bad datum at each place, and with each bad datum instead of each."""
    pieces = [packet[begin : begin + DATUM_BYTES] for begin in range(0, len(packet), DATUM_BYTES)]
    for place, piece in enumerate(pieces):
        yield b"".join([*pieces[:place], *pieces[place + 1 :]])
        for bad in BAD_DATUMS:
            if bad != piece and not (bad[0] == piece[0] and bad[0] in (2, 4)):
                yield b"".join([*pieces[:place], bad, *pieces[place + 1 :]])
    for place in range(len(pieces) + 1):
        for bad in BAD_DATUMS:
            yield b"".join([*pieces[:place], bad, *pieces[place:]])


def test_malformed_packets_are_answered_and_survived(adding: RawClient, pool: Ashmem) -> None:
    """Every mutation of Android's burst test is answered by an error, without shapes and timing, in step."""
    output = RequestArgument(location=DataLocation(0, 2 * PAIR_BYTES, PAIR_BYTES), dimensions=(2,))
    packet = packet_of(Request(add_request(pool).inputs, (output,)), 0, measure=True)
    assert adding.execute(packet).status is ErrorStatus.NONE
    mutations = list(broken(packet))
    # Datums: information, two inputs and an output with a dimension each, slot, timing. 9 removals, 70 insertions, and
    # 63 replacements less those by an equal datum (timing) and of a dimension by a dimension of its kind (3).
    assert len(mutations) == 9 + 70 + 63 - 1 - 3
    for mutation in mutations:
        result = adding.execute(mutation)
        assert result.status is not ErrorStatus.NONE
        assert (result.output_shapes, result.timing) == ((), Timing())
    result = adding.execute(packet)
    assert (result.status, result.output_shapes) == (ErrorStatus.NONE, (OutputShape((2,)),))


@given(st.integers(0, 8 * 6 - 1), st.sampled_from([0, 1, 2, 8, 2**31, 2**32 - 1]))
def test_any_field_may_be_anything(word: int, value: int) -> None:
    """Whatever stands in one field of a packet, there is an answer, and a correct packet is executed after it."""
    with add_pool(1, 2, 3, 4) as pool:
        packet = packet_of(add_request(pool), 0)
        mutation = packet[: 4 * word] + value.to_bytes(4, "little") + packet[4 * word + 4 :]
        with raw_client(AddModel(add_model()).configure_execution_burst(), {0: pool}) as client:
            decode_result(client.send(mutation))
            # The mutation may well have been legal, with its output over the inputs.
            with hal_memory.mapped(pool) as view:
                view[: 2 * PAIR_BYTES] = struct.pack("<4f", 1, 2, 3, 4)
            assert client.execute(packet).status is ErrorStatus.NONE
            assert result_of(pool) == (4.0, 6.0)


def test_two_packets_at_once_are_none(adding: RawClient, pool: Ashmem) -> None:
    """A second packet behind the first makes both ill-formed: there is one answer."""
    packet = packet_of(add_request(pool), 0)
    assert adding.execute(packet + packet) == REFUSED
    assert adding.server.explanation[2] == "burst/packet"
    assert adding.execute(packet).status is ErrorStatus.NONE


def test_empty_packet_of_zeros_is_no_request(adding: RawClient, pool: Ashmem) -> None:
    """The packet that the contract's server sends to itself in the end is ill-formed when it comes from outside."""
    assert adding.execute(bytes(DATUM_BYTES)) == REFUSED
    assert adding.execute(packet_of(add_request(pool), 0)).status is ErrorStatus.NONE


def two_pools(pool: Ashmem) -> Request:
    """The sum of the first pair of three pools: inputs in pools 2 and 0, the output in pool 1."""
    pair = DataLocation(length=PAIR_BYTES)
    inputs = tuple(RequestArgument(location=DataLocation(index, 0, pair.length)) for index in (2, 0))
    return Request(inputs, (RequestArgument(location=DataLocation(1, 0, pair.length)),), (pool,) * 3)


def test_unknown_slots_are_asked_for_once_and_sorted(pool: Ashmem) -> None:
    """Missing memories are asked for all at once, each slot once; known ones not at all (docs/contract/hal.md 12.3)."""
    burst = ScriptedBurst()
    with raw_client(burst, {2: pool, 7: pool, 9: pool}) as client:
        client.execute(packet_of(add_request(pool), 7))
        client.execute(packet_of(two_pools(pool), 9, 2, 9))
        client.execute(packet_of(two_pools(pool), 9, 7, 2))
        assert client.asked == [[7], [2, 9]]
    assert [tokens for _, tokens, _, _ in burst.executed] == [(7,), (9, 2, 9), (9, 7, 2)]


def test_freed_slots_are_asked_for_again(pool: Ashmem) -> None:
    """After a slot is freed the driver forgets it too, and another memory may have it; unknown slots are ignored."""
    burst = ScriptedBurst()
    packet = packet_of(add_request(pool), 3)
    with raw_client(burst, {3: pool}) as client, add_pool(5, 6, 7, 8) as other:
        client.execute(packet)
        for slot in (3, 3, 99, -1):
            client.server.free_memory(slot)
        client.memories = {3: other}
        client.execute(packet)
        assert client.asked == [[3], [3]]
    assert burst.released == [3, 3, 99]
    first, second = (request.pools[0].handle for request, *_ in burst.executed)  # type: ignore[union-attr]
    assert first != second


def test_what_was_valid_for_one_memory_is_checked_for_another(adding: RawClient, pool: Ashmem) -> None:
    """The same packet is refused when its slot has got a memory that is too short for it."""
    packet = packet_of(add_request(pool), 0)
    assert adding.execute(packet).status is ErrorStatus.NONE
    adding.server.free_memory(0)
    short = create_ashmem(POOL_BYTES - 1)
    adding.memories = {0: short}
    assert adding.execute(packet) == INVALID
    assert adding.server.explanation[2] == "request/pool.bounds"
    close(short)


def test_slots_without_memory_are_invalid(pool: Ashmem) -> None:
    """An execution with a slot that the client does not know, or a negative one, is INVALID_ARGUMENT and not begun."""
    burst = ScriptedBurst()
    with raw_client(burst, {0: pool}) as client:
        for slot in (1, 2**31 - 1, -1, -(2**31)):
            assert client.execute(packet_of(add_request(pool), slot)) == INVALID
            assert client.server.explanation[2] == "burst/slot"
        assert client.asked == [[1], [2**31 - 1]]
    assert burst.executed == []


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_memories_is_none(pool: Ashmem, count: int) -> None:
    """An answer with more or fewer memories than slots is logged and not used."""
    burst = ScriptedBurst()
    with raw_client(burst) as client:
        client.server._memories._get_memories = lambda _: [pool] * count
        assert client.execute(packet_of(two_pools(pool), 0, 1, 0)) == INVALID
    assert burst.executed == []


def test_a_slot_freed_while_it_is_fetched_is_not_kept(pool: Ashmem) -> None:
    """A memory that comes after its slot was freed is not used: the slot may belong to another one by then."""
    burst = ScriptedBurst()
    with raw_client(burst) as client:

        def get_memories(slots: object) -> list[Ashmem]:
            client.server.free_memory(0)
            return [pool]

        client.server._memories._get_memories = get_memories
        assert client.execute(packet_of(add_request(pool), 0)) == INVALID
    assert burst.executed == []


def test_a_slot_freed_before_its_packet_is_kept_is_asked_for_again(
    pool: Ashmem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data of a packet count only while its slots have the very memories that it was executed with."""
    packet = packet_of(add_request(pool), 0)
    with raw_client(ScriptedBurst(), {0: pool}) as client:
        memories = client.server._memories
        plain = memories.resolve

        def resolve(slots: Sequence[int]) -> Any:
            found = plain(slots)
            client.server.free_memory(0)
            return found

        with monkeypatch.context() as patch:
            patch.setattr(memories, "resolve", resolve)
            client.execute(packet)
        client.execute(packet)
        client.execute(packet)
        assert client.asked == [[0], [0]]


def test_valid_arguments_are_checked_again_for_other_pools_and_executors(pool: Ashmem) -> None:
    """That arguments were valid counts for pools of the same sizes and for the same executor only."""
    model = AddModel(add_model((0,)))
    request = add_request(pool)
    assert model.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE).output_sufficient_size
    short = create_ashmem(POOL_BYTES - 1)
    with pytest.raises(HalError) as refused:
        model.execute_synchronously(Request(request.inputs, request.outputs, (short,)), ExecutionConfig(), NO_DEADLINE)
    assert refused.value.rule == "request/pool.bounds"
    close(short)
    assert model.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE).output_sufficient_size
    # The output is of unknown size, which fenced executions do not take (docs/contract/hal.md 8.1).
    with pytest.raises(HalError) as refused:
        model.execute_fenced(request, (), ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
    assert refused.value.rule == "request/dimensions.output"


def test_memory_stays_mapped_until_its_slot_is_freed(
    adding: RawClient, pool: Ashmem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory is mapped once for many executions, and anew for a slot that was freed."""
    mapped = []
    plain = hal_memory.map_memory

    def counting(memory: Any, *, writable: bool = True) -> mmap.mmap:
        mapped.append(memory.size)
        return plain(memory, writable=writable)

    monkeypatch.setattr(hal_memory, "map_memory", counting)
    packet = packet_of(add_request(pool), 0)
    for _ in range(3):
        assert adding.execute(packet).status is ErrorStatus.NONE
    assert mapped == [POOL_BYTES]
    adding.server.free_memory(0)
    assert adding.execute(packet).status is ErrorStatus.NONE
    assert mapped == [POOL_BYTES, POOL_BYTES]


def test_memory_that_shrinks_fails_the_execution(tmp_path: Path) -> None:
    """A file that becomes shorter while it is mapped is noticed before it is touched, which would kill the service."""
    path = tmp_path / "pool"
    path.write_bytes(bytes(POOL_BYTES))
    with path.open("r+b") as file:
        pool = MappableFile(Handle(file.fileno()), POOL_BYTES)
        request = add_request(pool)  # type: ignore[arg-type]
        with raw_client(AddModel(add_model()).configure_execution_burst(), {0: pool}) as client:
            assert client.execute(packet_of(request, 0)).status is ErrorStatus.NONE
            file.truncate(PAIR_BYTES)
            assert client.execute(packet_of(request, 0)) == REFUSED
            assert client.server.explanation[2] == "memory/map"
            file.truncate(POOL_BYTES)
            assert client.execute(packet_of(request, 0)).status is ErrorStatus.NONE


def test_results_that_do_not_fit_are_replaced(pool: Ashmem) -> None:
    """Eight datums hold six dimensions and no more: a longer result becomes a minimal GENERAL_FAILURE."""
    rank = [5]
    burst = ScriptedBurst(lambda: ExecutionResult(True, (OutputShape((1,) * rank[0]),)))
    packet = packet_of(add_request(pool), 0)
    with raw_client(burst, {0: pool}, datums=8) as client:
        assert client.execute(packet).output_shapes == (OutputShape((1,) * 5),)
        rank[0] = 6
        assert client.send(packet) == encode_result(REFUSED)
        assert client.server.explanation[2] == "burst/queue"


def test_results_that_nobody_reads_do_not_block_the_end(pool: Ashmem) -> None:
    """A client that leaves its results in a full queue holds up its own burst, until that is stopped."""
    burst = ScriptedBurst()
    with raw_client(burst, {0: pool}, datums=2) as client:
        packet = packet_of(add_request(pool), 0)
        client.requests.write(packet)
        deadline = time.monotonic() + PATIENCE_S
        while client.results.available < 2:
            assert time.monotonic() < deadline
        client.requests.write_blocking(packet, deadline)


def test_result_comes_before_the_next_request_is_read(pool: Ashmem) -> None:
    """Requests that pile up are executed one after the other, in order."""
    go_on, begun = threading.Semaphore(0), threading.Semaphore(0)

    def answer() -> ExecutionResult:
        begun.release()
        assert go_on.acquire(timeout=PATIENCE_S)
        return ExecutionResult()

    burst = ScriptedBurst(answer)
    with raw_client(burst, {0: pool}) as client:
        client.requests.write(packet_of(add_request(pool), 0))
        assert begun.acquire(timeout=PATIENCE_S)
        client.requests.write(packet_of(add_request(pool), 0, measure=True))
        assert client.results.available == 0
        go_on.release(2)
        for _ in range(2):
            assert client.results.read_blocking(2, time.monotonic() + PATIENCE_S) == encode_result(
                ResultPacket(ErrorStatus.NONE)
            )
    assert [config.measure_timing for _, _, config, _ in burst.executed] == [False, True]


def test_a_corrupt_queue_ends_the_burst(adding: RawClient, caplog: pytest.LogCaptureFixture) -> None:
    """A client that writes nonsense over its position loses its burst, and the reason is logged."""
    with mmap.mmap(adding.queues[0].handle.fd, adding.queues[0].size) as memory:
        struct.pack_into("<Q", memory, WRITE_POSITION, 2**63)
    with caplog.at_level(logging.ERROR):
        adding.server._requests.wake()
        adding.thread.join(PATIENCE_S)
    assert not adding.thread.is_alive()
    assert "its client has corrupted the queue" in caplog.text


def test_packets_that_differ_do_not_pile_up(adding: RawClient, pool: Ashmem) -> None:
    """However many packets a client sends, the service keeps only some of them."""
    for offset in range(100):
        location = DataLocation(0, offset % POOL_BYTES, 1 + offset)
        request = Request(add_request(pool).inputs, (RequestArgument(location=location),))
        decode_result(adding.send(packet_of(request, 0)))
    assert len(adding.server._known) <= 32


def queues(**changed: int) -> tuple[QueueDescriptor, QueueDescriptor]:
    """Queues of a burst, the second with other values."""
    values = {"element_size": DATUM_BYTES, "capacity": DATUMS, "event_flag": True} | changed
    return create_queue(DATUM_BYTES, DATUMS), create_queue(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "changed"),
    [("element size", {"element_size": 16}), ("event flag", {"event_flag": False}), ("capacity", {"capacity": 1})],
)
def test_wrong_queues_are_refused(wrong: str, changed: dict[str, int]) -> None:
    """A queue of other elements, without event flag, or too short for any result is GENERAL_FAILURE."""
    good, bad = queues(**changed)
    pairs = [(good, bad)] if wrong == "capacity" else [(good, bad), (bad, good)]
    for requests, results in pairs:
        with pytest.raises(HalError) as refused:
            BurstServer(ScriptedBurst(), requests, results, lambda _: [])
        assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "burst/queue")


def test_a_failing_client_is_asked_again(pool: Ashmem) -> None:
    """A client that fails to give a memory may succeed the next time."""
    with raw_client(ScriptedBurst(), {}) as client:

        def fails(slots: object) -> NoReturn:
            raise failure("later")

        client.server._memories._get_memories = fails
        assert client.execute(packet_of(add_request(pool), 0)) == INVALID
        client.server._memories._get_memories = lambda _: [pool]
        assert client.execute(packet_of(add_request(pool), 0)) == ResultPacket(ErrorStatus.NONE)
