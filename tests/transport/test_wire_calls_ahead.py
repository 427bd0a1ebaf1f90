"""Calls that are sent ahead, and the numbers by which calls and replies know each other."""

import gc
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.memory import close, create_ashmem
from nnvet.hal.types import (
    Ashmem,
    BufferDesc,
    BufferRole,
    DeviceType,
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    Model,
    OutputShape,
    PrepareModelConfig,
    Request,
)
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import DriverCrash, DriverHang
from nnvet.transport.wire.framing import Channel
from nnvet.transport.wire.methods import DEVICE_ID, METHODS
from nnvet.transport.wire.texts import one_line
from tests.transport.wire_sessions import (
    PATIENCE_S,
    WELCOME,
    Callback,
    Scripted,
    check_descriptors,
    open_descriptors,
    pack,
    session_with,
)

NAME = (DEVICE_ID, METHODS["Device.name"], ())
TYPE = (DEVICE_ID, METHODS["Device.get_type"], ())
VERSION = (DEVICE_ID, METHODS["Device.get_version_string"], ())


class Sizes(BasePreparedModel):
    """Answers with the sizes of the memories that it gets."""

    def execute_synchronously(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Return the content of the descriptors themselves, not of the request."""
        sizes = [os.fstat(pool.handle.fd).st_size for pool in request.pools if isinstance(pool, Ashmem)]
        return ExecutionResult(True, (OutputShape(tuple(sizes)),))


class Gated(BaseDevice):
    """Its type is known once ``gate`` is open; it supports and allocates whatever is asked for."""

    def __init__(self) -> None:
        """Start with the gate open."""
        self.gate = threading.Event()
        self.gate.set()
        self.allocated: list[Sequence[PreparedModel]] = []

    def supports(self, *_: object) -> bool:
        """Everything."""
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """See :class:`Sizes`."""
        return Sizes(model)

    def get_type(self) -> DeviceType:
        """Wait for the gate."""
        assert self.gate.wait(PATIENCE_S)
        return DeviceType.GPU

    def get_version_string(self) -> str:
        """More than a socket holds."""
        return "1" * 1_000_000

    def allocate(
        self,
        desc: BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[BufferRole],
        output_roles: Sequence[BufferRole],
    ) -> tuple[Buffer, int]:
        """Remember the models, and refuse."""
        self.allocated.append(prepared_models)
        raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, "no memory", "")


@pytest.fixture
def device() -> Gated:
    """The device of ``session``."""
    return Gated()


@pytest.fixture
def session(device: Gated) -> Iterator[Session]:
    """A session with it; in the end nothing waits at the gate."""
    with session_with(device) as ours:
        yield ours
        device.gate.set()


def prepared(session: Session, model: Model) -> Any:
    """A model of the device."""
    callback = Callback()
    session.device.prepare_model(model, PrepareModelConfig(), callback)
    return callback.prepared_model()


def test_calls_are_answered_in_order(session: Session, device: Gated) -> None:
    """Calls are sent while the first one is still served; each gets its own answer, whenever it is asked for."""
    device.gate.clear()
    first, second, third = session.begin(TYPE, NAME, TYPE)
    device.gate.set()
    assert second.result() == "base"
    assert first.result() is DeviceType.GPU
    assert (third.result(), second.result(), first.result()) == (DeviceType.GPU, "base", DeviceType.GPU)
    assert len(session._lanes) == len(session._idle) == 1


def test_calls_in_flight_keep_their_descriptors(session: Session, add_model: Model) -> None:
    """Twenty calls in flight, each with its own number of memories: none gets those of another."""
    model = prepared(session, add_model)
    method = METHODS["PreparedModel.execute_synchronously"]
    pools = [create_ashmem(size) for size in range(1, 21)]
    before = open_descriptors()
    calls = session.begin(
        *((model.id, method, (Request((), (), tuple(pools[:count])), ExecutionConfig(), -1)) for count in range(20))
    )
    for count, call in enumerate(calls):
        assert call.result().output_shapes[0].dimensions == tuple(range(1, count + 1))
    # One more call, so that the service has left the last one.
    assert session.device.name == "base"
    check_descriptors(before)
    for pool in pools:
        close(pool)


def test_a_refused_call_disturbs_no_other(session: Session) -> None:
    """An error is raised by the call that it answers, each time, and by no other."""
    refused, good = session.begin((DEVICE_ID, METHODS["Device.allocate"], (BufferDesc(), (), (), ())), NAME)
    assert good.result() == "base"
    for _ in range(2):
        with pytest.raises(HalError, match="no memory"):
            refused.result()


def test_replies_that_nobody_reads_block_nobody(session: Session, add_model: Model) -> None:
    """Calls and replies too large for the sockets' buffers: sending ahead reads replies before both ends wait."""
    large = Model(add_model.main, operand_values=bytes(1_000_000))
    supported = (DEVICE_ID, METHODS["Device.get_supported_operations"], (large,))
    calls = session.begin(VERSION, supported, VERSION, supported)
    for call in calls[::2]:
        assert call.result() == one_line("1" * 1_000_000)
    for call in calls[1::2]:
        assert call.result() == (True,)
    assert session.device.name == "base"


def test_arguments_are_not_released_before_they_are_read(session: Session, device: Gated, add_model: Model) -> None:
    """A prepared model that the client forgets while a call that names it waits for its turn still arrives."""
    model = prepared(session, add_model)
    device.gate.clear()
    first, second = session.begin(TYPE, (DEVICE_ID, METHODS["Device.allocate"], (BufferDesc(), (model,), (), ())))
    del model
    gc.collect()
    assert session.device.name == "base"
    device.gate.set()
    assert first.result() is DeviceType.GPU
    with pytest.raises(HalError, match="no memory"):
        second.result()
    assert [type(model) for models in device.allocated for model in models] == [Sizes]


def test_a_hang_is_that_of_the_first_unanswered_call(session: Session, device: Gated) -> None:
    """Calls behind one that is not answered are lost with it, and say which one it was; later calls are not."""
    device.gate.clear()
    session.timeout_s = 0.05
    calls = session.begin(NAME, TYPE, VERSION)
    for call in (calls[2], calls[1], calls[2]):
        with pytest.raises(DriverHang) as hang:
            call.result()
        assert (hang.value.evidence.call, hang.value.evidence.waited_s) == ("Device.get_type", 0.05)
    assert calls[0].result() == "base"
    device.gate.set()
    session.timeout_s = PATIENCE_S
    assert session.device.get_type() is DeviceType.GPU
    assert len(session._lanes) == 1


def test_abandoned_calls_leave_nothing_behind(session: Session, device: Gated) -> None:
    """A lane whose replies nobody wants is closed, and the service goes on with other calls."""
    assert session.device.name == "base"
    before = open_descriptors()
    device.gate.clear()
    first, second = session.begin(TYPE, NAME)
    second.abandon()
    first.abandon()
    device.gate.set()
    with pytest.raises(ConnectionAbortedError):
        second.result()
    assert session.device.name == "base"
    done, also = session.begin(NAME, NAME)
    assert (also.result(), done.result()) == ("base", "base")
    done.abandon()
    assert session.device.name == "base"
    assert len(session._lanes) == 1
    assert open_descriptors() <= before + 2


def test_abandoning_what_was_answered_disturbs_nobody(session: Session, device: Gated) -> None:
    """A lane serves the next call once all of the last ones are answered; whoever had it before cannot close it."""
    (done,) = session.begin(NAME)
    done.result()
    device.gate.clear()
    (next_one,) = session.begin(TYPE)
    done.abandon()
    device.gate.set()
    assert next_one.result() is DeviceType.GPU


def test_an_argument_that_cannot_be_sent_takes_the_lane_with_it(session: Session) -> None:
    """A call that cannot be sent is refused at once; those that were sent before it are lost, others are not."""
    bad = (DEVICE_ID, METHODS["Device.prepare_model_from_cache"], (-1, (), (), object(), None))
    with pytest.raises(HalError) as refused:
        session.begin(NAME, bad)
    assert refused.value.rule == "wire/arguments"
    assert session.device.name == "base"
    assert len(session._lanes) == 1


def replies(*numbers: int) -> bytes:
    """Frames of replies with type GPU, as if to the calls of these numbers."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for number in numbers:
            Channel(ours).send(pack(0, "", "", 3, number))
        return theirs.recv(1000)


def raw(lane: Channel, data: bytes) -> None:
    """Send bytes in one piece."""
    lane._socket.sendall(data)


def test_a_second_reply_is_blamed_on_its_call() -> None:
    """A service that answers a call twice in one breath is found by that very call."""
    with Scripted(WELCOME, lambda _, lane: raw(lane, replies(1, 1))) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        with pytest.raises(DriverCrash, match="more came with the reply to call 1") as crash:
            session.device.get_type()
        assert crash.value.evidence.call == "Device.get_type"
        session.close()


def test_a_late_second_reply_is_not_taken_for_another() -> None:
    """A second answer that comes later is not the answer to the next call, which ends the session."""
    sent, go_on = threading.Event(), threading.Event()

    def answer(_: Channel, lane: Channel) -> None:
        raw(lane, replies(1))
        assert go_on.wait(PATIENCE_S)
        raw(lane, replies(1))
        sent.set()
        lane.receive()

    with Scripted(WELCOME, answer) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        assert session.device.get_type() is DeviceType.GPU
        go_on.set()
        assert sent.wait(PATIENCE_S)
        with pytest.raises(DriverCrash, match="the reply to call 1 came where that to call 2 was due"):
            session.device.get_feature_level()
        session.close()


@pytest.mark.parametrize("numbers", [(2, 1), (1, 1), (1, 3), (2, 2)])
def test_replies_out_of_order(numbers: tuple[int, ...]) -> None:
    """Replies to calls in flight come in the order of the calls, or the session ends."""

    def answer(_: Channel, lane: Channel) -> None:
        lane.receive()
        raw(lane, replies(*numbers))

    with Scripted(WELCOME, answer) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        first, second = session.begin(TYPE, TYPE)
        if numbers[0] == 1:
            assert first.result() is DeviceType.GPU
        for call in (second, second):
            with pytest.raises(DriverCrash):
                call.result()
        assert not session.alive
        session.close()


def test_a_death_is_that_of_the_first_unanswered_call() -> None:
    """When the service goes, calls in flight name the one that it was serving."""

    def answer(primary: Channel, lane: Channel) -> None:
        for _ in range(2):
            lane.receive()
        raw(lane, replies(1))
        primary.shutdown()
        lane.shutdown()

    with Scripted(WELCOME, answer) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        first, second, third = session.begin(TYPE, VERSION, NAME)
        with pytest.raises(DriverCrash) as crash:
            third.result()
        assert crash.value.evidence.call == "Device.get_version_string"
        assert first.result() is DeviceType.GPU
        with pytest.raises(DriverCrash):
            second.result()
        session.close()


def test_later_calls_follow_those_of_a_queue(session: Session, device: Gated) -> None:
    """Calls of the same thread wait for their turn on its lane; another thread, and whoever calls later, does not."""
    device.gate.clear()
    (first,) = session.queue(TYPE)
    (second,) = session.begin(NAME)
    assert (len(session._lanes), len(session._idle)) == (1, 0)
    with ThreadPoolExecutor(1) as other:
        assert other.submit(lambda: session.device.name).result(PATIENCE_S) == "base"
    session.timeout_s = 0.05
    with pytest.raises(DriverHang):
        second.result()
    session.timeout_s = PATIENCE_S
    with pytest.raises(DriverHang):
        first.result()
    assert session.device.name == "base"
    device.gate.set()
    calls = session.queue(TYPE, NAME)
    assert session.device.name == "base"
    assert all(call._sent.is_answered for call in calls)
    assert session._queue is None
