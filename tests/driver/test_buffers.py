"""Device memory of the bundled driver: state machine, tokens, and what happens to it when its client releases it.

Expected states are those of the table in docs/contract/hal.md 11.3, written down once more in :class:`Expected`.
"""

from __future__ import annotations

import gc
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nnvet.adapters import prepare
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence, wait_for_fence
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.memory import close, create_ashmem, mapped
from nnvet.hal.types import (
    Ashmem,
    BufferDesc,
    BufferRole,
    BufferToken,
    DataLocation,
    ExecutionConfig,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
)
from nnvet.reference_driver import create, limits
from nnvet.reference_driver.device import ReferenceDevice
from tests.transport.wire_sessions import session_with

PLAIN = ExecutionConfig()
ROLE = (BufferRole(0, 0),)
FLOATS = 8
VALUES = st.integers(0, 9)


def sum_model(size: int = 2) -> Model:
    """``output = first + second`` with an activation that comes with the request; size 0 is unknown."""
    tensor, inputs = OperandType.TENSOR_FLOAT32, OperandLifeTime.SUBGRAPH_INPUT
    operands = (
        Operand(tensor, (size,), lifetime=inputs),
        Operand(tensor, (size,), lifetime=inputs),
        Operand(OperandType.INT32, lifetime=inputs),
        Operand(tensor, (size,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
    )
    return Model(Subgraph(operands, (Operation(OperationType.ADD, (0, 1, 2), (3,)),), (0, 1, 2), (3,)))


def prepared(device: ReferenceDevice, size: int = 2) -> PreparedModel:
    """The model, prepared without a thread."""
    return device.compile(sum_model(size), PrepareModelConfig())


@contextmanager
def memory(*numbers: float, activation: int = 0) -> Iterator[Ashmem]:
    """Two floats, the activation, and two floats of output."""
    pool = create_ashmem(3 * FLOATS)
    with mapped(pool) as view:
        view[:FLOATS] = struct.pack("<2f", *numbers)
        view[FLOATS : FLOATS + 4] = struct.pack("<i", activation)
    yield pool
    close(pool)


@contextmanager
def floats(*numbers: float) -> Iterator[Ashmem]:
    """As many floats."""
    pool = create_ashmem(4 * len(numbers))
    with mapped(pool) as view:
        view[:] = struct.pack(f"<{len(numbers)}f", *numbers)
    yield pool
    close(pool)


PLACE = RequestArgument(location=DataLocation(0, 0, FLOATS))
ACTIVATION = RequestArgument(location=DataLocation(0, FLOATS, 4))
OUTPUT = RequestArgument(location=DataLocation(0, 2 * FLOATS, FLOATS))
DEVICE = RequestArgument(location=DataLocation(1))


class Subject:
    """One buffer for input 0 and the output of a sum, and what can be done with it."""

    def __init__(self) -> None:
        """Allocate."""
        device = create()
        self.model = prepared(device)
        self.buffer, self.token = device.allocate(BufferDesc(), (self.model,), ROLE, ROLE)

    def run(self, first: RequestArgument, output: RequestArgument, value: int, activation: int = 0) -> float:
        """Add ``value`` to input 0; returns the output."""
        with memory(value, value, activation=activation) as pool:
            request = Request((first, PLACE, ACTIVATION), (output,), (pool, BufferToken(self.token)))
            self.model.execute_synchronously(request, PLAIN, NO_DEADLINE)
            with mapped(pool) as view:
                return float(struct.unpack_from("<f", view, 2 * FLOATS)[0])

    def fill(self, value: int) -> None:
        """Copy a value into the buffer."""
        with floats(value, value) as source:
            self.buffer.copy_from(source, ())

    def fill_badly(self, value: int) -> None:
        """Copy from too little memory."""
        with floats(value) as source:
            self.buffer.copy_from(source, ())

    def write(self, value: int) -> None:
        """Have an execution write twice the value."""
        self.run(PLACE, DEVICE, value)

    def write_badly(self, value: int) -> None:
        """Have an execution fail that was to write."""
        self.run(PLACE, DEVICE, value, activation=999)

    def use_wrongly(self, value: int) -> None:
        """Make a request that is refused, with the buffer as input and output."""
        self.run(DEVICE, DEVICE, value)

    def read(self, value: int) -> float:
        """The content plus the value, by an execution."""
        return self.run(DEVICE, OUTPUT, value)

    def copy(self, _: int) -> float:
        """The content."""
        with floats(-1, -1) as destination:
            self.buffer.copy_to(destination)
            with mapped(destination) as view:
                return float(struct.unpack_from("<f", view)[0])


class Expected:
    """The table of the contract: content after each event, and its answer."""

    def __init__(self) -> None:
        """Nothing is there at first."""
        self.content: float | None = None

    def answer(self, event: str, value: int) -> float | ErrorStatus | None:
        """Return the result that the event must yield."""
        before = self.content
        if event in ("read", "copy"):
            if before is None:
                return ErrorStatus.GENERAL_FAILURE
            return before + value if event == "read" else before
        if event == "use_wrongly":
            return ErrorStatus.INVALID_ARGUMENT
        self.content = {"fill": float(value), "write": 2.0 * value}.get(event)
        return ErrorStatus.INVALID_ARGUMENT if event == "fill_badly" else None


EVENTS = ("fill", "fill_badly", "write", "write_badly", "use_wrongly", "read", "copy")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(EVENTS), VALUES), max_size=12))
def test_state_machine(steps: list[tuple[str, int]]) -> None:
    """After any sequence of events the buffer holds what the contract's table says."""
    subject, expected = Subject(), Expected()
    for event, value in steps:
        wanted = expected.answer(event, value)
        try:
            answer: object = getattr(subject, event)(value)
        except HalError as error:
            answer = error.status
        if event == "write_badly":
            # This test is not about the error of a bad activation.
            assert isinstance(answer, ErrorStatus)
        else:
            assert answer == wanted


@pytest.mark.parametrize("late", ["at once", "at a fence"])
def test_an_execution_that_comes_too_late_leaves_no_content(late: str) -> None:
    """A missed deadline is a failed execution too, before it runs and while it waits for a fence."""
    subject = Subject()
    subject.fill(1)
    with memory(1, 1) as pool:
        request = Request((PLACE, PLACE, ACTIVATION), (DEVICE,), (pool, BufferToken(subject.token)))
        if late == "at once":
            with pytest.raises(HalError):
                subject.model.execute_synchronously(request, PLAIN, 1)
        else:
            fence, source = create_fence()
            # Long enough to be reached at the fence, not before, on a busy machine.
            deadline = boot_time_ns() + 300_000_000
            result = subject.model.execute_fenced(request, (fence,), PLAIN, deadline, NO_DEADLINE)
            assert result.sync_fence is not None
            wait_for_fence(result.sync_fence)
            assert result.callback.get_execution_info()[0] is ErrorStatus.MISSED_DEADLINE_TRANSIENT
            source.signal()
            fence.close()
    with pytest.raises(HalError) as failed:
        subject.copy(0)
    assert failed.value.rule == "buffer/uninitialised"


def test_too_small_an_output_elsewhere_leaves_no_content() -> None:
    """When another output of the execution does not fit, the buffer is not filled."""
    device = create()
    tensor, output = OperandType.TENSOR_FLOAT32, OperandLifeTime.SUBGRAPH_OUTPUT
    operands = (
        Operand(tensor, (2,), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(tensor, (2,), lifetime=output),
        Operand(tensor, (0,), lifetime=output),
    )
    steps = tuple(Operation(OperationType.RELU, (0,), (index,)) for index in (1, 2))
    model = device.compile(Model(Subgraph(operands, steps, (0,), (1, 2))), PrepareModelConfig())
    buffer, token = device.allocate(BufferDesc(), (model,), (), ROLE)
    with floats(3, 4) as pool, floats(0, 0) as target:
        buffer.copy_from(pool, ())
        short = RequestArgument(location=DataLocation(2, 0, 4))
        request = Request((PLACE,), (DEVICE, short), (pool, BufferToken(token), target))
        assert not model.execute_synchronously(request, PLAIN, NO_DEADLINE).output_sufficient_size
        with pytest.raises(HalError):
            buffer.copy_to(target)


def test_tokens_count_from_1_and_the_last_one_freed_comes_first() -> None:
    """Tokens are 1, 2, 3, …; a freed one is used again, last in first out."""
    device = create()
    model = prepared(device)
    kept: dict[int, Buffer] = {}

    def allocate() -> int:
        buffer, token = device.allocate(BufferDesc(), (model,), ROLE, ())
        kept[token] = buffer
        return token

    assert [allocate() for _ in range(4)] == [1, 2, 3, 4]
    del kept[2], kept[4]
    assert [allocate() for _ in range(3)] == [4, 2, 5]


def test_a_released_buffer_frees_its_memory_at_once() -> None:
    """Neither the driver nor a cycle keeps what a buffer held, or the prepared models of its roles."""
    device = create()
    gc.disable()
    try:
        model = prepared(device)
        buffer, token = device.allocate(BufferDesc(), (model,), ROLE, ())
        memory_of = device.buffers.find(token)
        assert {role.prepared_model for role in memory_of.roles} == {model}
        del buffer
        with pytest.raises(HalError) as gone:
            device.buffers.find(token)
        assert gone.value.rule == "buffer/token"
    finally:
        gc.enable()


def test_buffers_end_with_their_client() -> None:
    """When a client closes its session its tokens are free again, and those of others stay."""
    device = create()
    with session_with(device) as one:
        with session_with(device) as other:
            buffers = [
                session.device.allocate(BufferDesc(), (prepare(session.device, sum_model()),), ROLE, ())
                for session in (one, other)
            ]
            assert [token for _, token in buffers] == [1, 2]
        # The service hears of it on a thread of its own.
        end = time.monotonic() + 30.0
        while _is_known(device, 2) and time.monotonic() < end:
            gc.collect()
            time.sleep(0.01)
        assert not _is_known(device, 2)
        assert device.buffers.find(1).content is None


def _is_known(device: ReferenceDevice, token: int) -> bool:
    try:
        device.buffers.find(token)
    except HalError:
        return False
    return True


def test_a_client_cannot_use_the_token_of_another() -> None:
    """The token of another client is refused, as input and as output, even with a copy of its model."""
    device = create()
    with session_with(device) as owner, session_with(device) as thief:
        buffer, token = owner.device.allocate(BufferDesc(), (prepare(owner.device, sum_model()),), ROLE, ROLE)
        model = prepare(thief.device, sum_model())
        with floats(1, 2) as source, memory(0, 0) as pool:
            buffer.copy_from(source, ())
            for inputs, output in (((DEVICE, PLACE), OUTPUT), ((PLACE, PLACE), DEVICE)):
                request = Request((*inputs, ACTIVATION), (output,), (pool, BufferToken(token)))
                with pytest.raises(HalError) as refused:
                    model.execute_synchronously(request, PLAIN, NO_DEADLINE)
                assert refused.value.status is ErrorStatus.INVALID_ARGUMENT
            buffer.copy_to(source)
            with mapped(source) as view:
                assert struct.unpack("<2f", view) == (1, 2)


def test_prepared_models_of_another_device_are_refused() -> None:
    """A prepared model of another device of this very driver has no device memory here."""
    with pytest.raises(HalError) as refused:
        create().allocate(BufferDesc(), (prepared(create()),), ROLE, ())
    assert refused.value.rule == "allocate/model"


def test_a_buffer_released_meanwhile_is_invalid() -> None:
    """A reusable execution whose buffer is gone is INVALID_ARGUMENT, at launch."""
    subject = Subject()
    subject.fill(1)
    with memory(1, 1) as pool:
        request = Request((DEVICE, PLACE, ACTIVATION), (OUTPUT,), (pool, BufferToken(subject.token)))
        execution = subject.model.create_reusable_execution(request, PLAIN)
        assert execution.execute_synchronously(NO_DEADLINE).output_sufficient_size
        del subject.buffer
        with pytest.raises(HalError) as refused:
            execution.execute_synchronously(NO_DEADLINE)
    assert refused.value.rule == "buffer/token"


def test_unused_tokens_have_to_be_valid() -> None:
    """A pool that no argument uses must name a live buffer; in which role does not matter."""
    subject = Subject()
    with memory(1, 2) as pool:
        for token, valid in ((subject.token, True), (subject.token + 1, False)):
            request = Request((PLACE, PLACE, ACTIVATION), (OUTPUT,), (pool, BufferToken(token)))
            if valid:
                subject.model.execute_synchronously(request, PLAIN, NO_DEADLINE)
                continue
            with pytest.raises(HalError) as refused:
                subject.model.execute_synchronously(request, PLAIN, NO_DEADLINE)
            assert refused.value.rule == "buffer/token"


@pytest.mark.parametrize("dimensions", [(0,), ()])
def test_memory_of_unknown_shape_takes_that_of_its_content(dimensions: tuple[int, ...]) -> None:
    """A buffer without dimensions can be filled with any number of elements, and then has that number."""
    device = create()
    model = prepared(device, 0)
    buffer, _ = device.allocate(BufferDesc(dimensions), (model,), ROLE, ROLE)
    for numbers in ((1.0,), (1.0, 2.0, 3.0)):
        with floats(*numbers) as source, floats(*numbers[1:], 0) as destination:
            buffer.copy_from(source, (len(numbers),))
            buffer.copy_to(destination)
            with mapped(destination) as view:
                assert struct.unpack(f"<{len(numbers)}f", view) == numbers


def test_absurd_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that cannot hold so much says so when it is asked, not when it is too late."""
    monkeypatch.setattr(limits, "HELD_BYTES", FLOATS - 1)
    device = create()
    with pytest.raises(HalError) as refused:
        device.allocate(BufferDesc(), (prepared(device),), ROLE, ())
    assert refused.value.status is ErrorStatus.GENERAL_FAILURE


def test_several_inputs_may_share_a_buffer() -> None:
    """Both addends are the same device memory, by one pool and by two."""
    device = create()
    model = prepared(device)
    buffer, token = device.allocate(BufferDesc(), (model,), (BufferRole(0, 0), BufferRole(0, 1)), ())
    with floats(3, 4) as source, memory(0, 0) as pool:
        buffer.copy_from(source, ())
        for other in (DEVICE, RequestArgument(location=DataLocation(2))):
            request = Request((DEVICE, other, ACTIVATION), (OUTPUT,), (pool, BufferToken(token), BufferToken(token)))
            model.execute_synchronously(request, PLAIN, NO_DEADLINE)
            with mapped(pool) as view:
                assert struct.unpack_from("<2f", view, 2 * FLOATS) == (6, 8)
