"""The client's side of a burst, with a scripted service: what goes through the queue, what does not, and what fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.types import (
    NO_DEADLINE,
    Ashmem,
    BufferToken,
    DataLocation,
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    ExtensionNameAndPrefix,
    Handle,
    Memory,
    OutputShape,
    Request,
    RequestArgument,
    Timing,
    TokenValuePair,
)
from nnvet.transport.burst.client import QueueBurst
from nnvet.transport.burst.packets import (
    DATUM_BYTES,
    RequestPacket,
    ResultPacket,
    decode_request,
    encode_request,
    encode_result,
)
from nnvet.transport.message_queue import QueueReader, QueueWriter, create_queue
from nnvet.transport.wire.failures import Unintended
from nnvet.transport.wire.limits import WaitLimit
from tests.transport.burst_ends import DATUMS, PATIENCE_S, ScriptedBurst

PLAIN = ExecutionConfig()
SUCCESS = encode_result(ResultPacket(ErrorStatus.NONE))
ARGUMENT = RequestArgument(location=DataLocation(length=4), dimensions=(1,))


def memory(size: int = 64) -> Ashmem:
    """A memory that nobody maps."""
    return Ashmem(Handle(-1), size)


def request_for(*pools: Memory | BufferToken, dimensions: tuple[int, ...] = (1,)) -> Request:
    """A request with one input and one output."""
    return Request((RequestArgument(location=DataLocation(length=4), dimensions=dimensions),), (ARGUMENT,), pools)


class LostError(Exception):
    """Error of the fake session; the text tells how the service was lost."""


class FakeSession:
    """A connection that can be lost."""

    def __init__(self, limit_s: float | None = PATIENCE_S) -> None:
        """Start alive."""
        self.alive = True
        self.limit_s = limit_s
        self.unintended = Unintended()

    def limit(self) -> WaitLimit:
        """Return the limit that it was given."""
        return WaitLimit(self.limit_s)

    def crash(self, call: str) -> LostError:
        """The service is dead."""
        return LostError(f"{call} crash")

    def hang(self, call: str, limit: WaitLimit) -> LostError:
        """The service is silent."""
        return LostError(f"{call} hang {limit.seconds}")


class FakeContext:
    """Keeps what it is given."""

    def __init__(self) -> None:
        """Know no reason for a failure."""
        self.freed: list[int] = []
        self.supplied: list[tuple[ErrorStatus, tuple[Memory, ...]]] = []
        self.explanation: Callable[[], tuple[ErrorStatus, str, str]] = lambda: (ErrorStatus.NONE, "", "")

    def free_memory(self, slot: int) -> None:
        """See :class:`nnvet.transport.burst.packets.BurstContext`."""
        self.freed.append(slot)

    def supply_memories(self, status: ErrorStatus, memories: tuple[Memory, ...]) -> None:
        """See :class:`nnvet.transport.burst.packets.BurstContext`."""
        if status is ErrorStatus.NONE and any(memory.handle.fd == -77 for memory in memories):
            raise invalid("cannot be sent")
        self.supplied.append((status, memories))

    def explain(self) -> tuple[ErrorStatus, str, str]:
        """See :class:`nnvet.transport.burst.packets.BurstContext`."""
        return self.explanation()


class Service:
    """The other ends of the queues, and the burst on them."""

    def __init__(self, limit_s: float | None = PATIENCE_S, datums: int = DATUMS, polling_s: float = 0.0) -> None:
        """Open a burst whose queue for requests has ``datums``."""
        requests, results = create_queue(DATUM_BYTES, datums), create_queue(DATUM_BYTES, DATUMS)
        self.requests, self.results = QueueReader(requests), QueueWriter(results)
        self.ordinary = ScriptedBurst()
        self.opened = 0
        self.session, self.context = FakeSession(limit_s), FakeContext()
        ends = QueueWriter(requests), QueueReader(results)
        self.burst = QueueBurst(self.session, self.context, *ends, self._open_ordinary, polling_s)

    def _open_ordinary(self) -> ScriptedBurst:
        self.opened += 1
        return self.ordinary

    @contextmanager
    def answering(self, *packets: bytes) -> Iterator[list[RequestPacket]]:
        """Answer so many requests, with these packets; the requests that came."""
        seen: list[RequestPacket] = []

        def serve() -> None:
            for packet in packets:
                request = self.requests.read_blocking(deadline=time.monotonic() + PATIENCE_S)
                seen.append(decode_request(request))
                assert self.results.write(packet)

        thread = threading.Thread(target=serve)
        thread.start()
        yield seen
        thread.join(PATIENCE_S)
        assert not thread.is_alive()

    def execute(
        self, request: Request, tokens: Sequence[int], config: ExecutionConfig = PLAIN, deadline_ns: int = NO_DEADLINE
    ) -> ExecutionResult:
        """Execute on the burst."""
        return self.burst.execute_synchronously(request, tokens, config, deadline_ns)


@pytest.fixture
def service() -> Service:
    """A service that does nothing by itself."""
    return Service()


@pytest.mark.parametrize("polling_s", [0.0, PATIENCE_S], ids=["asleep", "polling"])
def test_request_and_result_go_through_the_queues(polling_s: float) -> None:
    """The service sees the request, the caller the result, in nanoseconds; the ordinary burst is not even opened."""
    service = Service(polling_s=polling_s)
    shapes = (OutputShape((2, 3)),)
    answer = encode_result(ResultPacket(ErrorStatus.NONE, shapes, Timing(4000, 5000)))
    request = request_for(memory())
    with service.answering(answer) as seen:
        assert service.execute(request, [0], ExecutionConfig(measure_timing=True)) == ExecutionResult(
            True, shapes, Timing(4000, 5000)
        )
    assert seen == [RequestPacket(request.inputs, request.outputs, (0,), True)]
    assert service.opened == 0


def test_too_small_an_output_is_a_result(service: Service) -> None:
    """Status 3 is reported by the result, with shapes; it is no error."""
    shapes = (OutputShape((9,), is_sufficient=False),)
    with service.answering(encode_result(ResultPacket(ErrorStatus.OUTPUT_INSUFFICIENT_SIZE, shapes))):
        assert service.execute(request_for(memory()), [0]) == ExecutionResult(False, shapes)


HINT = TokenValuePair(1, b"")
TOKEN = BufferToken(3)
NOT_FOR_PACKETS = {
    "deadline": (request_for(memory()), [0], PLAIN, 0),
    "loop timeout": (request_for(memory()), [0], ExecutionConfig(loop_timeout_duration_ns=1), NO_DEADLINE),
    "hints": (request_for(memory()), [0], ExecutionConfig(execution_hints=(HINT,)), NO_DEADLINE),
    "extensions": (
        request_for(memory()),
        [0],
        ExecutionConfig(extension_name_to_prefix=(ExtensionNameAndPrefix("a.b", 1),)),
        NO_DEADLINE,
    ),
    "device memory": (request_for(memory(), TOKEN), [0, -1], PLAIN, NO_DEADLINE),
    "device memory with identity": (request_for(TOKEN), [0], PLAIN, NO_DEADLINE),
    "no identity": (request_for(memory(), memory()), [0, -1], PLAIN, NO_DEADLINE),
    "bad identity": (request_for(memory()), [-2], PLAIN, NO_DEADLINE),
    "too few identities": (request_for(memory()), [], PLAIN, NO_DEADLINE),
    "too many identities": (request_for(memory()), [-1, -1], PLAIN, NO_DEADLINE),
    "padding": (
        Request((RequestArgument(location=DataLocation(0, 0, 4, 60)),), (), (memory(),)),
        [0],
        PLAIN,
        NO_DEADLINE,
    ),
    "a negative dimension": (request_for(memory(), dimensions=(-1,)), [0], PLAIN, NO_DEADLINE),
    "a huge dimension": (request_for(memory(), dimensions=(2**32,)), [0], PLAIN, NO_DEADLINE),
    "too many dimensions": (request_for(memory(), dimensions=(1,) * DATUMS), [0], PLAIN, NO_DEADLINE),
}


@pytest.mark.parametrize("arguments", NOT_FOR_PACKETS.values(), ids=NOT_FOR_PACKETS)
def test_what_no_packet_can_carry_is_called_ordinarily(
    service: Service, arguments: tuple[Request, list[int], ExecutionConfig, int]
) -> None:
    """Such an execution reaches the ordinary burst unchanged, and the queue not at all (docs/contract/hal.md 12)."""
    service.ordinary.answer = lambda: ExecutionResult(True, (OutputShape((5,)),))
    assert service.execute(*arguments).output_shapes == (OutputShape((5,)),)
    ((request, tokens, config, deadline),) = service.ordinary.executed
    assert (request, list(tokens), config, deadline) == arguments
    assert service.requests.available == 0


def test_a_packet_as_long_as_the_queue_still_goes_through_it() -> None:
    """The limit is the queue's capacity: a request of 6 datums fits in 6, one of 7 does not."""
    service = Service(datums=6)
    # Information, an input, an output with one dimension, slot, timing, and the input's dimensions.
    with service.answering(SUCCESS) as seen:
        service.execute(request_for(memory(), dimensions=()), [0])
    assert len(seen) == 1
    service.execute(request_for(memory(), dimensions=(1,)), [0])
    assert len(service.ordinary.executed) == 1


def test_ordinary_burst_is_opened_once(service: Service) -> None:
    """All that does not fit in packets goes to one and the same burst."""
    for _ in range(3):
        service.execute(request_for(memory()), [-1])
    assert (service.opened, len(service.ordinary.executed)) == (1, 3)


def test_a_repeated_request_is_encoded_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The very same request, with equal identifiers in whatever sequence, needs no second packet."""
    encoded: list[Request] = []

    def encoding(request: Request, slots: Sequence[int], *, measure_timing: bool) -> bytes | None:
        encoded.append(request)
        return encode_request(request, slots, measure_timing=measure_timing)

    monkeypatch.setattr("nnvet.transport.burst.packets.encode_request", encoding)
    request = request_for(memory())
    with service.answering(*[SUCCESS] * 4):
        for tokens in ([0], (0,), [0], (5,)):
            service.execute(request, tokens)
    assert encoded == [request, request]


def test_slots_are_counted_up_and_used_again_last_freed_first(service: Service) -> None:
    """Each token has a slot until it is released; then the slot is freed and used again (docs/contract/hal.md 12.3)."""
    steps: list[tuple[list[int], tuple[int, ...]]] = [
        ([50, 40], (0, 1)),
        ([40, 50], (1, 0)),
        ([40, 40], (1, 1)),
        ([30, 20], (2, 3)),
    ]
    later: list[tuple[list[int], tuple[int, ...]]] = [([10, 20], (2, 3)), ([60, 70], (1, 4)), ([50, 60], (0, 1))]
    for tokens, slots in steps:
        with service.answering(SUCCESS) as seen:
            service.execute(request_for(memory(), memory()), tokens)
        assert seen[0].slots == slots
    for token in (40, 30):
        service.burst.release_memory_resource(token)
    assert service.context.freed == [1, 2]
    for tokens, slots in later:
        with service.answering(SUCCESS) as seen:
            service.execute(request_for(memory(), memory()), tokens)
        assert seen[0].slots == slots
    assert service.opened == 0


def test_the_same_request_with_other_tokens_has_other_slots(service: Service) -> None:
    """Data of the latest request are used for the very same execution only."""
    request = request_for(memory())
    measured = ExecutionConfig(measure_timing=True)
    with service.answering(*[SUCCESS] * 5) as seen:
        for tokens, config in (([8], PLAIN), ([8], PLAIN), ([9], PLAIN), ([9], measured)):
            service.execute(request, tokens, config)
        service.burst.release_memory_resource(8)
        service.burst.release_memory_resource(9)
        service.execute(request, [9], measured)
    assert [(packet.slots, packet.measure_timing) for packet in seen] == [
        ((0,), False),
        ((0,), False),
        ((1,), False),
        ((1,), True),
        ((1,), True),
    ]
    service.burst.supply_memories([1])
    assert service.context.supplied == [(ErrorStatus.NONE, (request.pools[0],))]
    service.burst.supply_memories([0])
    assert service.context.supplied[1:] == [(ErrorStatus.INVALID_ARGUMENT, ())]


def test_first_memory_of_a_token_counts(service: Service) -> None:
    """A token that is known stands for the memory that it was first used with (docs/contract/hal.md 13)."""
    first, second = memory(1), memory(2)
    with service.answering(SUCCESS, SUCCESS):
        service.execute(request_for(first), [4])
        service.execute(request_for(second), [4])
    service.burst.supply_memories([0])
    assert service.context.supplied == [(ErrorStatus.NONE, (first,))]


def test_memories_that_cannot_be_sent_are_refused(service: Service) -> None:
    """If the service cannot be given a memory it learns so, and does not wait for ever."""
    with service.answering(SUCCESS):
        service.execute(request_for(Ashmem(Handle(-77), 1)), [4])
    service.burst.supply_memories([0])
    assert service.context.supplied == [(ErrorStatus.INVALID_ARGUMENT, ())]


@pytest.mark.parametrize("token", [-2, -1, 99])
def test_unknown_tokens_are_released_by_the_driver(service: Service, token: int) -> None:
    """A token that is not in the queue's table is the driver's to judge."""
    service.burst.release_memory_resource(token)
    assert (service.ordinary.released, service.context.freed) == ([token], [])


def test_tokens_that_were_used_twice_are_released_twice(service: Service) -> None:
    """An ordinary execution may have had the driver keep something for a token, too."""
    with service.answering(SUCCESS):
        service.execute(request_for(memory()), [6])
    service.execute(request_for(memory()), [6], PLAIN, 0)
    service.burst.release_memory_resource(6)
    assert (service.ordinary.released, service.context.freed) == ([6], [0])


def in_thread(call: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """A thread in a call, and what the call returns or raises."""
    outcomes: list[object] = []

    def run() -> None:
        try:
            outcomes.append(call())
        except (HalError, LostError) as error:
            outcomes.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcomes


def wait_for_request(service: Service) -> None:
    """Take the next request from the queue."""
    assert service.requests.read_blocking(deadline=time.monotonic() + PATIENCE_S)


def test_one_execution_at_a_time(service: Service) -> None:
    """A second execution in flight is GENERAL_FAILURE, and nothing of it is sent; afterwards all is well."""
    request = request_for(memory())
    thread, outcomes = in_thread(lambda: service.execute(request, [0]))
    wait_for_request(service)
    for tokens in ([0], [-1]):
        with pytest.raises(HalError) as refused:
            service.execute(request, tokens)
        assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "execution/in_flight")
    service.results.write(SUCCESS)
    thread.join(PATIENCE_S)
    assert outcomes == [ExecutionResult()]
    assert (service.requests.available, service.opened) == (0, 0)
    with service.answering(SUCCESS):
        service.execute(request, [0])


def test_silence_is_a_hang_and_ends_the_burst() -> None:
    """A result that does not come in time is a hang; since it may come yet, the burst is of no more use."""
    service = Service(limit_s=0.05)
    with pytest.raises(LostError, match=r"Burst.execute_synchronously hang 0.05"):
        service.execute(request_for(memory()), [0])
    service.results.write(SUCCESS)
    with pytest.raises(HalError, match="given up") as refused:
        service.execute(request_for(memory()), [0])
    assert refused.value.status is ErrorStatus.GENERAL_FAILURE
    assert service.execute(request_for(memory()), [-1]) == ExecutionResult()


@pytest.mark.parametrize("polling_s", [0.0, 0.001])
def test_death_wakes_an_execution(polling_s: float) -> None:
    """Whoever waits for a result when the service is lost is notified at once, and so is whoever comes later."""
    service = Service(limit_s=None, polling_s=polling_s)
    thread, outcomes = in_thread(lambda: service.execute(request_for(memory()), [0]))
    wait_for_request(service)
    service.session.alive = False
    service.burst.wake()
    thread.join(PATIENCE_S)
    assert [str(outcome) for outcome in outcomes] == ["Burst.execute_synchronously crash"]
    with pytest.raises(LostError, match="crash"):
        service.execute(request_for(memory()), [0])
    assert service.requests.available == 0


def test_an_interrupted_execution_ends_the_burst(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an interrupt the result of the old request could be taken for that of the next: there is no next."""

    def interrupted(*_: object, **__: object) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(QueueReader, "read_blocking", interrupted)
        with pytest.raises(KeyboardInterrupt):
            service.execute(request_for(memory()), [0])
    with pytest.raises(HalError, match="given up"):
        service.execute(request_for(memory()), [0])


ILL_FORMED = {
    "zeros": bytes(DATUM_BYTES),
    "two results": SUCCESS + SUCCESS,
    "half a result": SUCCESS[:DATUM_BYTES],
    "a request": encode_request(request_for(memory()), (0,), measure_timing=False) or b"",
    "a newer status": SUCCESS[:12] + b"\x05" + SUCCESS[13:],
}


@pytest.mark.parametrize("packet", ILL_FORMED.values(), ids=ILL_FORMED)
def test_ill_formed_results_fail_the_execution(service: Service, packet: bytes) -> None:
    """An ill-formed result is GENERAL_FAILURE (docs/contract/hal.md 12.2), and the next one is read as usual."""
    with service.answering(packet, SUCCESS):
        with pytest.raises(HalError) as refused:
            service.execute(request_for(memory()), [0])
        assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "burst/packet")
        assert service.execute(request_for(memory()), [0]) == ExecutionResult()


def test_a_result_that_nobody_asked_for_is_noticed(service: Service) -> None:
    """A result that is there before the request is not taken for the answer."""
    service.results.write(SUCCESS)
    with pytest.raises(HalError) as refused:
        service.execute(request_for(memory()), [0])
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "driver/reply")
    assert service.requests.available == 0
    with service.answering(SUCCESS):
        assert service.execute(request_for(memory()), [0]) == ExecutionResult()


def test_a_service_that_leaves_requests_unread_is_not_sent_more() -> None:
    """If there is no space for a request the burst fails and does not wait."""
    service = Service(datums=7)
    service.burst._requests.write(bytes(DATUM_BYTES))
    with pytest.raises(HalError, match="unread") as refused:
        service.execute(request_for(memory()), [0])
    assert refused.value.rule == "burst/queue"


EXPLANATIONS = {
    "the same status": (ErrorStatus.INVALID_ARGUMENT, (4, "bad", "some/rule"), (4, "bad", "some/rule")),
    "a newer status": (ErrorStatus.GENERAL_FAILURE, (5, "late", "some/rule"), (5, "late", "some/rule")),
    "a failure": (ErrorStatus.GENERAL_FAILURE, (2, "no", ""), (2, "no", "")),
    "another status": (ErrorStatus.INVALID_ARGUMENT, (2, "no", "rule"), (4, "the service says of it: GENERAL", "")),
    "success": (ErrorStatus.DEVICE_UNAVAILABLE, (0, "", ""), (1, "the service says of it: NONE", "")),
}


@pytest.mark.parametrize(("status", "said", "expected"), EXPLANATIONS.values(), ids=EXPLANATIONS)
def test_errors_are_explained(
    service: Service, status: ErrorStatus, said: tuple[int, str, str], expected: tuple[int, str, str]
) -> None:
    """An error has the status of the packet, or the newer one that this stands for, and the service's reason."""
    service.context.explanation = lambda: (ErrorStatus(said[0]), *said[1:])
    with service.answering(encode_result(ResultPacket(status))), pytest.raises(HalError) as refused:
        service.execute(request_for(memory()), [0])
    assert (refused.value.status, refused.value.rule) == (expected[0], expected[2])
    assert expected[1] in refused.value.message


def test_errors_that_are_not_explained_keep_their_status(service: Service) -> None:
    """A service that cannot say why is taken at the word of its packet."""

    def fails() -> tuple[ErrorStatus, str, str]:
        raise failure("no such method")

    service.context.explanation = fails
    packet = encode_result(ResultPacket(ErrorStatus.DEVICE_UNAVAILABLE))
    with service.answering(packet), pytest.raises(HalError, match="does not say why") as refused:
        service.execute(request_for(memory()), [0])
    assert refused.value.status is ErrorStatus.DEVICE_UNAVAILABLE
