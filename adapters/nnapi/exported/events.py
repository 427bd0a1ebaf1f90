"""Events: ends of executions that have been launched, and fences."""

from __future__ import annotations

import os
import threading
from typing import Any, Final

from nnvet.adapters.nnapi.codes import ResultCode
from nnvet.adapters.nnapi.exported.refusals import Functions, RefusalError, bad_data
from nnvet.hal.enums import FenceState
from nnvet.hal.fences import wait_for_fence
from nnvet.hal.memory import Handle, OwnedHandle


class ClientEvent:
    """Something that ends with a result; ``fence`` signals then, if there is one."""

    def __init__(self, fence: Handle | None = None) -> None:
        """It has not ended yet."""
        self.fence = fence
        self._ended = threading.Event()
        self._code = ResultCode.OP_FAILED

    def end(self, code: ResultCode) -> None:
        """Wake whoever waits."""
        self._code = code
        self._ended.set()

    def wait(self) -> ResultCode:
        """Wait for the end, and return its result."""
        self._ended.wait()
        return self._code

    def release(self) -> None:
        """The client frees it: a launched execution writes into memory that may go next, so wait for its end."""
        self._ended.wait()


class FenceEvent(ClientEvent):
    """A fence that the client has brought."""

    def __init__(self, fence: Handle) -> None:
        """Stand for ``fence``, which goes with it."""
        super().__init__(fence)
        self._fence = fence

    def wait(self) -> ResultCode:
        """Wait for the signal."""
        return ResultCode.NO_ERROR if wait_for_fence(self._fence) is FenceState.SIGNALED else ResultCode.OP_FAILED

    def release(self) -> None:
        """Wait for nothing: the fence is the client's own."""


def _create_from_fence(descriptor: int) -> ClientEvent:
    try:
        return FenceEvent(OwnedHandle(os.dup(descriptor)) if descriptor > 0 else _no_fence(descriptor))
    except OSError as error:
        raise bad_data(f"fence {descriptor} cannot be duplicated: {error}") from error


def _no_fence(descriptor: int) -> Handle:
    raise bad_data(f"{descriptor} is no fence")


def _get_fence(event: ClientEvent, place: Any) -> None:
    place[0] = -1
    if event.fence is None:
        raise bad_data("the event is of an execution without a fence")
    place[0] = os.dup(event.fence.fd)


def _wait(event: ClientEvent) -> None:
    code = event.wait()
    if code is not ResultCode.NO_ERROR:
        raise RefusalError(code, "so the execution ended")


FUNCTIONS: Final[Functions] = {
    "Event_createFromSyncFenceFd": _create_from_fence,
    "Event_getSyncFenceFd": _get_fence,
    "Event_wait": _wait,
    "Event_free": lambda event: event.release(),
}
