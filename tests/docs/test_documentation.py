"""The documentation of driver and wire says what is: its driver works, its bytes and tables are the real ones."""

import re
import socket
import threading
from pathlib import Path

import pytest

from nnvet.adapters import open_driver, prepare
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import HalError
from nnvet.hal.types import DeviceType, ErrorStatus, ExecutionConfig, Model, Operation, OperationType, Subgraph
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.server import ServiceSession
from nnvet.transport.wire.tables import update_tables
from tests.adapters.models import add_model, add_pool, add_request, result_of

DOCS = Path(__file__).parent.parent.parent / "docs"
MINIMAL = DOCS / "examples" / "minimal_driver.py"


def test_tutorial_shows_the_example() -> None:
    """The driver in the tutorial is the file, complete and under 40 lines of code."""
    source = MINIMAL.read_text(encoding="utf-8")
    page = (DOCS / "writing-a-driver.md").read_text(encoding="utf-8")
    assert f"```python\n{source}```" in page
    assert sum(bool(line.strip()) for line in source.splitlines()) < 40


@pytest.mark.parametrize(
    ("activation", "expected"), [(0, (4.0, -9.5)), (1, (4.0, 0.0)), (2, (1.0, -1.0)), (3, (4.0, 0.0))]
)
def test_example_computes(activation: int, expected: tuple[float, ...]) -> None:
    """In its service process the example adds 1 + 3 and 0.5 - 10 with each fused activation; results by hand."""
    with open_driver(f"python:{MINIMAL}:AddDevice") as driver, add_pool(1, 0.5, 3, -10) as pool:
        assert driver.device.name == "minimal"
        assert driver.device.get_supported_operations(add_model(activation=activation)) == (True,)
        prepared = prepare(driver.device, add_model(activation=activation))
        assert prepared.execute_synchronously(add_request(pool), ExecutionConfig(), -1).output_sufficient_size
        assert result_of(pool) == expected


def test_example_refuses_other_operations() -> None:
    """The example reports that it does not support other operations, and refuses to prepare them."""
    main = add_model().main
    multiplies = Model(
        Subgraph(main.operands, (Operation(OperationType.MUL, (0, 1, 2), (3,)),), (0, 1), (3,)), (), bytes(4)
    )
    with open_driver(f"python:{MINIMAL}:AddDevice", in_process=True) as driver:
        assert driver.device.get_supported_operations(multiplies) == (False,)
        with pytest.raises(HalError) as refused:
            prepare(driver.device, multiplies)
        assert refused.value.status is ErrorStatus.INVALID_ARGUMENT


def test_tables_of_the_protocol_are_current() -> None:
    """The tables on the page are those of the types; regenerate with ``make docs``."""
    page = (DOCS / "protocol.md").read_text(encoding="utf-8")
    assert update_tables(page) == page


def example_session() -> dict[str, bytes]:
    """Frames of the example on the page, by who sends them and where."""
    page = (DOCS / "protocol.md").read_text(encoding="utf-8")
    lines = re.findall(r"^([<>]) ([0-9a-f ]+)$", page, re.MULTILINE)
    names = ("hello", "welcome", "open lane", "call", "reply")
    assert [direction for direction, _ in lines] == [">", "<", ">", ">", "<"]
    return {name: bytes.fromhex(line) for name, (_, line) in zip(names, lines, strict=True)}


def test_bytes_of_the_protocol_are_what_a_service_speaks() -> None:
    """A client that sends the bytes on the page gets the bytes on the page."""
    frames = example_session()
    primary, theirs = socket.socketpair()
    lane, other_end = socket.socketpair()
    service = threading.Thread(target=ServiceSession(BaseDevice(), theirs).run)
    service.start()
    with lane:
        with primary, other_end:
            primary.sendall(frames["hello"])
            assert primary.recv(1000) == frames["welcome"]
            socket.send_fds(primary, [frames["open lane"]], [other_end.fileno()])
            lane.sendall(frames["call"])
            assert lane.recv(1000) == frames["reply"]
        service.join()


def test_bytes_of_the_protocol_are_what_a_client_speaks() -> None:
    """A service that sends the bytes on the page gets the bytes on the page."""
    frames = example_session()
    ours, primary = socket.socketpair()
    received: dict[str, bytes] = {}

    def serve() -> None:
        received["hello"] = primary.recv(1000)
        primary.sendall(frames["welcome"])
        received["open lane"], (descriptor,), _, _ = socket.recv_fds(primary, 1000, 1)
        with socket.socket(fileno=descriptor) as lane:
            received["call"] = lane.recv(1000)
            lane.sendall(frames["reply"])

    service = threading.Thread(target=serve)
    service.start()
    with primary:
        session = Session(ours)
        assert session.device.get_type() is DeviceType.CPU
        session.close()
        service.join()
    assert received == {name: frames[name] for name in ("hello", "open lane", "call")}
