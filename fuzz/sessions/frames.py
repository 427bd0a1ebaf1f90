"""The harness ``frames``: bytes on the connection between client and service, read by either of them.

The head of an input chooses the reader and the handshake; each step is a frame. A service gets frames on a connection
of its own; most of them are calls with a few wrong bytes. It has to answer or to end that session, and to go on serving
others. A client gets replies.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from nnvet.adapters.driver import Driver
from nnvet.conformance.engine.target import Target, open_target
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import Harness, NothingToFuzzError, OneInput
from nnvet.fuzz.steps import StepForm, sum_model
from nnvet.fuzz.target import FuzzedDriver
from nnvet.fuzz.words import wire_words
from nnvet.generators.random_graphs.chooser import PlainBytes
from nnvet.hal.enums import DeviceType
from nnvet.hal.errors import HalError
from nnvet.hal.types import BufferDesc, BufferRole, Capabilities, Handle, PrepareModelConfig
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.codec import FAREWELL, VERSIONS, Codec, Hello, Welcome
from nnvet.transport.wire.failures import DriverGone
from nnvet.transport.wire.framing import HEADER, MAGIC, Channel
from nnvet.transport.wire.methods import DEVICE_ID, METHODS, SERVICE_ID

FORM: Final = StepForm(size=40, most=7, head=12)
"""Sizes of an input: bytes of a step, most steps, bytes of the head."""
_CHANGES: Final = 4
"""Most places of a frame that are changed."""
_OBJECTS: Final = 8
"""Ids below this one are tried; a session has the service, the device and seldom more than six other objects."""
_READ: Final = 1 << 16
"""Bytes that are read at once."""
_CALLBACK: Final = object()
"""Stands for a callback of the client."""
_FAILED_AT: Final = b"what the service fails at"
"""Words in the farewell of a service after an exception that it does not expect, which is a fault of the service."""

_CODEC: Final = Codec(lambda _, __: 5, lambda _, __: None)
"""Codec that gives the id 5 to every object of the client, and never decodes one."""
_CALLS: Final = (
    ("Device.get_type", ()),
    ("Device.get_supported_operations", (sum_model(),)),
    ("Device.prepare_model", (sum_model(), PrepareModelConfig(), _CALLBACK)),
    ("Device.allocate", (BufferDesc(), (_CALLBACK,), (BufferRole(0, 0),), ())),
    ("PreparedModel.configure_execution_burst", ()),
    ("Burst.release_memory_resource", (1,)),
    ("Service.settle", (_CALLBACK,)),
    ("Service.open_client", (Handle(-1),)),
)
"""Methods with valid arguments, one of each kind of argument."""
_REPLIES: Final = (
    (0, "", "", DeviceType.CPU, 1),
    (0, "", "", Capabilities(), 1),
    (5, "message", "rule", None, 1),
    (0, "", "", DeviceType.CPU, 1, ((5, "PreparedModelCallback.notify", (), (0, None)),)),
    (5, "PreparedModelCallback.notify", (), (3, None)),
    (SERVICE_ID, FAREWELL, (), ("the end",)),
)
"""Frames for a client: replies with a result or a status, replies with a notification, notifications, a farewell."""
_ASKED: Final = ("Device.get_type", "Device.get_capabilities")
"""Calls of the client that wait for one of these frames."""


class FramesInput:
    """Runs the inputs of the harness on a service or a client."""

    def __init__(self, driver: Driver, target: Target) -> None:
        """Send frames to the service of ``driver``."""
        self._driver = driver
        self._asked = FuzzedDriver(driver.device, target, driver)
        self._timeout_s = target.timeout_s

    def __call__(self, data: bytes) -> None:
        """Send frames.

        :raises FuzzFinding: the service dies, hangs or fails at them.
        """
        head, steps = FORM.sources(data)
        if head.ConsumeIntInRange(0, 3):  # three of four inputs
            self._to_service(head, steps)
        else:
            self._to_client(head, steps)

    def _to_service(self, head: PlainBytes, steps: Sequence[PlainBytes]) -> None:
        with ExitStack() as stack:
            primary = self._asked.ask(self._driver.connection_of_client)
            if isinstance(primary, HalError):
                return
            stack.enter_context(primary)
            lane, its_end = (stack.enter_context(end) for end in socket.socketpair())
            with suppress(ConnectionError):
                self._send(primary, lane, Handle(its_end.fileno()), (head, *steps))
            its_end.close()
            self._check_answers(lane, primary)
        # The service must go on serving others.
        self._asked.ask(self._asked.device.get_version_string)

    def _send(
        self, primary: socket.socket, lane: socket.socket, its_end: Handle, sources: Sequence[PlainBytes]
    ) -> None:
        """Shake hands, open a lane, and send frames on both connections."""
        hello, channel = _CODEC.encode(Hello())[0], Channel(primary)
        head, *steps = sources
        channel.send(hello if _below(head, 16) else _changed(hello, head))
        channel.send(*_CODEC.encode((SERVICE_ID, "Service.open_lane", (), (its_end,), 0)))
        for source in steps:
            (lane if _below(source, 4) else primary).sendall(_frame(_call(source), source))

    def _check_answers(self, *connections: socket.socket) -> None:
        """Check that the service reads to the end, and reports no internal error."""
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
        for connection in connections:
            connection.settimeout(self._timeout_s)
            answer = b""
            try:
                while piece := connection.recv(_READ):
                    answer += piece
            except TimeoutError as error:
                message = f"a service does not end a session that has ended: {answer!r}"
                raise FuzzFinding(FindingKind.HANG, "wire/frame", message) from error
            except ConnectionError:
                continue
            if _FAILED_AT in answer:
                raise FuzzFinding(FindingKind.EXCEPTION, "wire/frame", f"{answer[answer.index(_FAILED_AT) :]!r}")

    def _to_client(self, head: PlainBytes, steps: Sequence[PlainBytes]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            service = Channel(theirs)
            service.send(_CODEC.encode((0, "", "", Welcome(VERSIONS[0], "fuzzed")))[0])
            session = Session(ours, timeout_s=self._timeout_s)
            try:
                method = METHODS[_ASKED[head.ConsumeIntInRange(0, 1)]]
                (call,) = session.begin((DEVICE_ID, method, ()))
                self._answer(service, theirs, steps)
                call.result()
            except (HalError, DriverGone):
                pass
            finally:
                session.close()

    def _answer(self, service: Channel, primary: socket.socket, steps: Sequence[PlainBytes]) -> None:
        """Send frames to the client: on the lane that it opens, and on the connection for notifications."""
        service.receive()
        _, handles = service.receive()
        with socket.socket(fileno=os.dup(handles[0].fd)) as lane, suppress(OSError):
            handles.clear()
            for source in steps:
                reply = _CODEC.encode(_REPLIES[_below(source, len(_REPLIES))])[0]
                (lane if _below(source, 4) else primary).sendall(_frame(reply, source))
            primary.shutdown(socket.SHUT_WR)


def _call(source: PlainBytes) -> bytes:
    """Return a call of any method, with valid arguments, of an object that may or may not exist."""
    name, arguments = _CALLS[_below(source, len(_CALLS))]
    if not _below(source, 8):
        name = tuple(METHODS)[_below(source, len(METHODS))]
    target = DEVICE_ID if name.startswith("Device.") else _below(source, _OBJECTS)
    released = tuple(_below(source, _OBJECTS) for _ in range(_below(source, 3)))
    return _CODEC.encode((target, name, released, arguments, 1))[0]


def _frame(payload: bytes, source: PlainBytes) -> bytes:
    """Return a frame, changed or not."""
    if _below(source, 2):
        payload = _changed(payload, source)
    header = HEADER.pack(len(payload), 0, MAGIC)
    return (_changed(header, source) if not _below(source, 16) else header) + payload


def _changed(content: bytes, source: PlainBytes) -> bytes:
    """Change or remove a few bytes, or replace the whole frame."""
    if not _below(source, 8):
        return source.ConsumeBytes(_below(source, 32))
    changed = bytearray(content)
    for _ in range(1 + _below(source, _CHANGES)):
        at = _below(source, max(1, len(changed)))
        changed[at : at + _below(source, 3)] = source.ConsumeBytes(_below(source, 3))
    return bytes(changed)


def _below(source: PlainBytes, count: int) -> int:
    return source.ConsumeIntInRange(0, count - 1)


@contextmanager
def open_frames(target: Target) -> Iterator[OneInput]:
    """Open the harness on a driver; raises like :func:`nnvet.adapters.open_driver`.

    :raises NothingToFuzzError: no second client reaches the driver's service.
    """
    with open_target(target) as driver:
        try:
            driver.connection_of_client().close()
        except HalError as error:
            raise NothingToFuzzError(error.message) from error
        except DriverGone:
            # Each input will show it.
            driver.restart()
        yield FramesInput(driver, target)


FRAMES: Final = Harness(
    name="frames",
    summary="bytes on the connection of client and service, read by either",
    opens=open_frames,
    seeds=lambda: FORM.seeds("frames"),
    mutator=FORM.mutated,
    crossover=FORM.crossed,
    instrumented=("nnvet.transport.wire",),
    compares=True,
    words=wire_words,
    max_len=FORM.max_len,
)
