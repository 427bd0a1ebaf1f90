"""Notifications: with the reply to the call that makes them, or on the primary (docs/protocol.md)."""

import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec
import pytest
from msgspec.msgpack import Ext

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.interfaces import PreparedModelCallback
from nnvet.hal.types import ErrorStatus, Model, PrepareModelConfig
from nnvet.transport.burst.packets import MemoriesCallback
from nnvet.transport.wire.codec import EXT_OBJECT, CallMessage, Codec, Hello, Reply
from nnvet.transport.wire.failures import Unintended
from nnvet.transport.wire.framing import Channel
from nnvet.transport.wire.proxies import CallbackTable
from tests.transport.wire_sessions import Callback, RawClient, session_with

CALLBACK: Final = 77
FLOOD: Final = 5000


class Notifier(BaseDevice):
    """Notifies each preparation a number of times, each time of another status, in threads that ``run`` chooses."""

    def __init__(self, times: int = 1, run: Callable[[Callable[[], None]], None] = lambda notify: notify()) -> None:
        """Notify ``times`` times."""
        self.times = times
        self.run = run

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Notify, and return when that is done."""

        def notify() -> None:
            for number in range(self.times):
                callback.notify(ErrorStatus(1 + number % 2), None)

        self.run(notify)


class ThreadKeeper(Callback):
    """Keeps the threads in which it is notified."""

    def __init__(self) -> None:
        """Start without notifications."""
        super().__init__()
        self.threads: list[int] = []

    def notify(self, *notification: object) -> None:
        """Keep both."""
        self.threads.append(threading.get_ident())
        super().notify(*notification)


def elsewhere(work: Callable[[], None]) -> None:
    """Do something in another thread, and wait for it."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def reply_to_preparation(client: RawClient, lane: Channel, model: Model) -> Reply:
    """The reply to the preparation of ``model`` with the callback CALLBACK."""
    callback = Ext(EXT_OBJECT, CALLBACK.to_bytes(8, "little"))
    payload, handles = client.codec.encode((1, "Device.prepare_model", (), (model, PrepareModelConfig(), callback), 1))
    lane.send(payload, handles)
    return client.reply(lane)


@pytest.mark.parametrize(
    ("versions", "device", "with_reply"),
    [
        ((3,), Notifier(), 1),
        ((3, 2), Notifier(2), 2),
        ((3,), Notifier(run=elsewhere), 0),
        ((2,), Notifier(), 0),
    ],
    ids=["made in the call", "two", "made by another thread", "version 2"],
)
def test_what_a_reply_carries(add_model: Model, versions: tuple[int, ...], device: Notifier, with_reply: int) -> None:
    """From version 3 on, what the thread of the call notifies; everything else comes on the primary."""
    client = RawClient(device)
    client.hello(Hello(versions=versions))
    connection, lane = client.open_lane()
    with connection:
        reply = reply_to_preparation(client, lane, add_model)
        assert (reply.status, reply.number, len(reply.notifications)) == (0, 1, with_reply)
        others = device.times - with_reply
        sent = [client.codec.decode(client.primary.receive()[0], CallMessage) for _ in range(others)]
        for notification in (*reply.notifications, *sent):
            assert (notification.target, notification.method) == (CALLBACK, "PreparedModelCallback.notify")
    client.close()


def test_notified_by_the_reply_before_the_call_returns(add_model: Model) -> None:
    """A callback is notified by the thread that has called, and the service's object goes when it is forgotten."""
    callback = ThreadKeeper()
    with session_with(Notifier()) as session:
        session.device.prepare_model(add_model, PrepareModelConfig(), callback)
        assert callback.notifications == [(ErrorStatus.DEVICE_UNAVAILABLE, None)]
        assert callback.threads == [threading.get_ident()]
        # The service says with a later notification that it has dropped the first callback.
        session.device.prepare_model(add_model, PrepareModelConfig(), callback)
        session.settle()
        assert len(session._callbacks._exported) <= 2
    assert len(callback.notifications) == 2


def test_a_flood_of_notifications_comes_whole(add_model: Model) -> None:
    """Notifications that are too many for one reply are sent before it; nothing is lost."""
    callback = Callback()
    with session_with(Notifier(FLOOD)) as session:
        session.device.prepare_model(add_model, PrepareModelConfig(), callback)
        session.settle()
        assert sorted(int(status) for status, _ in callback.notifications) == [1] * (FLOOD // 2) + [2] * (FLOOD // 2)


def test_dropped_before_it_is_notified() -> None:
    """One connection's word about a callback may overtake its notification on another: it is forgotten only then."""
    codec = Codec(lambda *_: 0, lambda *_: None)
    table, first, second = CallbackTable(), Callback(), Callback()
    ids = [table.add(PreparedModelCallback, callback, Unintended()).id for callback in (first, second)]

    def notification(identifier: int, released: tuple[int, ...] = ()) -> CallMessage:
        arguments = msgspec.Raw(msgspec.msgpack.encode((int(ErrorStatus.GENERAL_FAILURE), None)))
        return CallMessage(identifier, "PreparedModelCallback.notify", released, arguments)

    table.act(codec, notification(ids[1], (ids[0],)))
    table.act(codec, notification(ids[0]))
    assert first.notifications == second.notifications == [(ErrorStatus.GENERAL_FAILURE, None)]
    table.act(codec, notification(ids[0]))
    assert table.faults == deque([f"PreparedModelCallback.notify for the unknown callback {ids[0]}"])


def test_of_bursts_that_never_asked_the_last_callbacks_stay() -> None:
    """A client that opens and closes bursts all day keeps no more of them; who waits for a model is kept."""
    codec = Codec(lambda *_: 0, lambda *_: None)
    table, model = CallbackTable(), Callback()
    waiting = table.add(PreparedModelCallback, model, Unintended())
    bursts = [table.add(MemoriesCallback, Callback(), Unintended()) for _ in range(200)]
    gone = [weakref.ref(burst) for burst in bursts]
    released = (waiting.id, *(burst.id for burst in bursts))
    del bursts, waiting
    settled = table.add(PreparedModelCallback, Callback(), Unintended())
    arguments = msgspec.Raw(msgspec.msgpack.encode((int(ErrorStatus.GENERAL_FAILURE), None)))
    table.act(codec, CallMessage(settled.id, "PreparedModelCallback.notify", released, arguments))
    kept = [reference() is not None for reference in gone]
    assert 0 < sum(kept) < 100
    assert not any(kept[:100])
    assert kept[-1]
    table.tell_death()
    assert model.notifications == [(ErrorStatus.DEAD_OBJECT, None)]
