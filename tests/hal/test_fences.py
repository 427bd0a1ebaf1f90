"""Fences that are made here: three states, also after the death of the producer's process."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from nnvet.driver_kit.base_prepared_model import launch
from nnvet.hal.calling import Client, calling_client, serve
from nnvet.hal.enums import ErrorStatus, FenceState
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence, fence_state, wait_for_fence, wait_for_fences
from nnvet.hal.types import Handle, OwnedHandle

PATIENCE_S = 20.0


def test_signal() -> None:
    """A fence is active until it is signalled, and stays signalled, whoever looks and whatever comes later."""
    fence, source = create_fence()
    copy = OwnedHandle(os.dup(fence.fd))
    assert fence_state(fence) is FenceState.ACTIVE
    source.signal()
    source.fail()
    source.signal()
    for _ in range(2):
        assert fence_state(fence) is FenceState.SIGNALED
        assert fence_state(copy) is FenceState.SIGNALED


def test_error() -> None:
    """A fence that has failed is in error for good."""
    fence, source = create_fence()
    source.fail()
    source.signal()
    for _ in range(2):
        assert fence_state(fence) is FenceState.ERROR


def test_forgotten_source_is_an_error() -> None:
    """A wait for a source that has forgotten the fence is an error."""
    fence, source = create_fence()
    del source
    assert fence_state(fence) is FenceState.ERROR


def test_nobody_has_to_listen() -> None:
    """Signalling and failing are no errors when the fence has been closed."""
    for end in ("signal", "fail"):
        fence, source = create_fence()
        fence.close()
        getattr(source, end)()


def test_death_of_the_producer_is_an_error() -> None:
    """A fence whose producer's process is killed does not stay active."""
    fence, source = create_fence()
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        pass_fds=[source._end.fd],
    )
    source.fail()
    assert fence_state(fence) is FenceState.ACTIVE
    with child:
        child.send_signal(signal.SIGKILL)
    assert fence_state(fence) is FenceState.ERROR


def test_states_of_other_descriptors() -> None:
    """No descriptor is UNKNOWN; a pipe is signalled when it can be read, or its writer has gone.

    Source: docs/contract/hal.md 6.2.
    """
    assert fence_state(Handle(-1)) is FenceState.UNKNOWN
    reading, writing = os.pipe()
    assert fence_state(Handle(reading)) is FenceState.ACTIVE
    os.close(writing)
    assert fence_state(Handle(reading)) is FenceState.SIGNALED
    os.close(reading)
    assert fence_state(Handle(reading)) is FenceState.UNKNOWN


@pytest.mark.parametrize("end", ["signal", "fail"])
def test_waiting_can_be_given_up(end: str) -> None:
    """Waiting for one fence ends with another one."""
    fence, _source = create_fence()
    until, stop = create_fence()
    waiter = threading.Thread(target=getattr(stop, end))
    waiter.start()
    assert wait_for_fence(fence, until=until) is FenceState.ACTIVE
    with pytest.raises(HalError) as given_up:
        wait_for_fences([fence], until=until)
    assert given_up.value.status is ErrorStatus.MISSED_DEADLINE_TRANSIENT
    waiter.join()


def test_departure_of_a_client() -> None:
    """The departure of a client signals when it leaves, and at once if it has left."""
    client = Client("somebody")
    departure = client.departure()
    assert departure is client.departure()
    assert fence_state(departure) is FenceState.ACTIVE
    client.leave()
    assert client.has_gone
    assert fence_state(departure) is FenceState.SIGNALED
    late = Client("somebody else")
    late.leave()
    assert fence_state(late.departure()) is FenceState.SIGNALED


def test_a_client_that_has_gone_keeps_no_fence() -> None:
    """The fence of a departure is closed when nobody waits for it any more, however long the client is known."""
    client = Client("a")
    number = client.departure().fd
    client.leave()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


def test_launched_threads_serve_the_same_client() -> None:
    """Whoever calls is known on its thread and on those launched from there, and nowhere else."""
    client, seen, ended = Client("caller"), [calling_client()], threading.Event()

    def call() -> None:
        serve(client)
        launch(calling_client, lambda status, served: (seen.append(served), ended.set()))

    caller = threading.Thread(target=call)
    caller.start()
    caller.join()
    assert ended.wait(PATIENCE_S)
    assert seen[1] is client
    assert calling_client() is seen[0] is not client
