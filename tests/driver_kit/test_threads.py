"""Threads on which a driver is called, and calls that may overlap: as docs/writing-a-driver.md says."""

import json
import re
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters import open_driver, prepare
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import NO_DEADLINE, DeviceType, Model, Operation, PrepareModelConfig, Request
from tests.adapters.models import add_model
from tests.driver_kit.executors import EXECUTORS, FENCED, PATIENCE_S, PLAIN, output_of, pool_of
from tests.transport.wire_sessions import session_with

PAGE = Path(__file__).parent.parent.parent / "docs" / "writing-a-driver.md"
DRIVER = f"python:{Path(__file__).parent / 'recording_driver.py'}:Recording"
ALL = {**EXECUTORS, **FENCED}
NUMBERS = {name: number for number, name in enumerate(ALL)}
ROWS = {
    "the factory behind `python:`": ("factory",),
    "everything that is asked of the device: `plan`, `supports`, `compile`, …": (
        "get_version_string",
        "supports",
        "compile",
    ),
    "`compute` of synchronous, fenced and reusable executions": (
        "synchronous",
        "fenced",
        "reusable",
        "reusable fenced",
    ),
    "`compute` of asynchronous executions": ("asynchronous",),
    "`compute` of bursts whose memory is kept": ("burst",),
    "`compute` of other bursts": ("burst without memory kept",),
    "`configure_execution_burst`, `release_memory_resource`": ("configure_execution_burst", "release_memory_resource"),
    "`__del__` of what the client has released": ("__del__",),
}
"""Calls of the recording driver, or executors, by row of the page's table."""


def rows_of_the_page() -> dict[str, str]:
    """Name of the thread by what is called."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Threads\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| (.+?) \| .+ \| `([\w-]+)` \|$", section, re.MULTILINE))


@contextmanager
def numbered(number: int) -> Iterator[Request]:
    """A request whose first element is ``number``."""
    with pool_of(struct.pack("<2f", number, 0), bytes(8)) as (pool, arguments):
        yield Request(tuple(arguments), (output_of(8),), (pool,))


def test_threads_of_calls() -> None:
    """In a service process, every hook of the base classes is called on the thread that the page says."""
    with open_driver(DRIVER) as driver:
        prepared = prepare(driver.device, add_model())
        for name, number in NUMBERS.items():
            with numbered(number) as request:
                ALL[name](prepared, request)
        burst = prepared.configure_execution_burst()
        with numbered(NUMBERS["burst"]) as request:
            burst.execute_synchronously(request, (5,), PLAIN, NO_DEADLINE)
        burst.release_memory_resource(5)
        for _ in range(2):
            # The callback keeps the first one until the second is notified; the next call says that it is released.
            prepare(driver.device, add_model())
        driver.device.get_type()
        seen = json.loads(driver.device.get_version_string())
    seen |= {name: seen[f"compute {number}"] for name, number in NUMBERS.items()}
    found = {row: {thread for call in calls for thread in seen[call]} for row, calls in ROWS.items()}
    assert found == {row: {thread} for row, thread in rows_of_the_page().items()}


class Meeting(BaseDevice):
    """Waits in each hook that is asked to until two calls have come."""

    def __init__(self, *hooks: str) -> None:
        """Meet in these."""
        self.hooks = hooks
        self.together = threading.Barrier(2)

    def meet(self, hook: str) -> None:
        """Wait for the other one."""
        if hook in self.hooks:
            self.together.wait(PATIENCE_S)

    def get_type(self) -> DeviceType:
        """A question that needs no model."""
        self.meet("get_type")
        return DeviceType.CPU

    def supports(self, model: Model, operation: Operation) -> bool:
        """Yes."""
        del model, operation
        self.meet("supports")
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """A sum."""
        del config
        self.meet("compile")
        return MeetingModel(model, self)


class MeetingModel(BasePreparedModel):
    """Adds."""

    def __init__(self, model: Model, device: Meeting) -> None:
        """Keep the device."""
        super().__init__(model)
        self.device = device

    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """The sum."""
        self.device.meet("compute")
        return [inputs[0] + inputs[1]]


def at_once(*tasks: Callable[[], object]) -> None:
    """Run all, each on a thread; none fails, and all come to an end."""
    failures: list[BaseException] = []

    def run(task: Callable[[], object]) -> None:
        try:
            task()
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            failures.append(error)

    threads = [threading.Thread(target=run, args=(task,), daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * PATIENCE_S)
    assert not failures
    assert not any(thread.is_alive() for thread in threads)


def calls_of(device: Device, prepared: PreparedModel, request: Request) -> dict[str, Callable[[], object]]:
    """A call for each hook."""
    return {
        "get_type": device.get_type,
        "supports": lambda: device.get_supported_operations(add_model()),
        "compile": lambda: prepare(device, add_model()),
        **{name: partial(execute, prepared, request) for name, execute in EXECUTORS.items()},
    }


PAIRS = [
    ("get_type", "get_type"),
    ("supports", "supports"),
    ("supports", "compile"),
    ("compile", "synchronous"),
    ("synchronous", "synchronous"),
    ("synchronous", "asynchronous"),
    ("asynchronous", "asynchronous"),
    ("burst", "burst"),
    ("burst", "reusable"),
]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=["+".join(pair) for pair in PAIRS])
def test_calls_of_one_client_at_once(first: str, second: str) -> None:
    """Two calls of one client are in the driver at the same time; executions, on the same prepared model."""
    hooks = {name if name not in EXECUTORS else "compute" for name in (first, second)}
    device = Meeting()
    with session_with(device, PATIENCE_S) as session, numbered(1) as request:
        prepared = prepare(session.device, add_model())
        device.hooks = tuple(hooks)
        calls = calls_of(session.device, prepared, request)
        if "compile" in hooks and "supports" in hooks:
            # A preparation asks what is supported, too: it meets the other call there.
            device.hooks = ("supports",)
        at_once(calls[first], calls[second])


def test_calls_of_two_clients_at_once() -> None:
    """Clients are served by the same device, at the same time."""
    device = Meeting("supports")
    with session_with(device, PATIENCE_S) as one, session_with(device, PATIENCE_S) as other:
        at_once(*(partial(session.device.get_supported_operations, add_model()) for session in (one, other)))
