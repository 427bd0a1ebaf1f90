"""A trace of frames: what a client sends and receives, as lines of text."""

import re
from pathlib import Path

import msgspec
import pytest
from msgspec.msgpack import Ext

from nnvet.adapters import SelectorError, open_driver
from nnvet.transport.wire.framing import VARIABLE, text_of

LINE = re.compile(r"(\d+\.\d{6}) (\d+) (\d+) ([<>]) (\d+) B(?: \+ (\d+) fd)? (.*)")


def test_frames_of_a_session_are_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The handshake, the lane with its descriptor, a call and its answer, in the order of docs/protocol.md."""
    path = tmp_path / "frames.txt"
    monkeypatch.setenv(VARIABLE, str(path))
    with open_driver("reference") as driver:
        driver.device.get_version_string()
    lines = [LINE.fullmatch(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert None not in lines
    said = [(found[4], found[6], found[7]) for found in lines if found]
    assert said[0] == (">", None, '["nnvet-wire", [3, 2]]')
    assert said[1][0] == "<"
    assert said[2] == (">", "1", '[0, "Service.open_lane", [], [@fd 0]]')
    assert any(arrow == ">" and '"Device.get_version_string"' in text for arrow, _, text in said)
    assert said[-1][0] == "<"
    # The service, which is of Python and inherits the environment, writes nothing.
    assert len({found[2] for found in lines if found}) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([0, "", None, True, 1.5], '[0, "", null, true, 1.5]'),
        ({"values": b"\x01\xff"}, '{"values": 0x01ff}'),
        (bytes(40), "0x" + "00" * 32 + "… (40 bytes)"),
        ([Ext(1, b"\x02\x00"), Ext(2, b"\x05" + bytes(7))], "[@fd 2, @5]"),
        (list(range(66)), "[" + ", ".join(map(str, range(64))) + ", … 66 items]"),
    ],
)
def test_payloads_are_text(value: object, text: str) -> None:
    """Values are written like JSON; the expected texts are by hand."""
    assert text_of(msgspec.msgpack.encode(value)) == text


def test_what_is_no_msgpack_is_shown_as_bytes() -> None:
    """Code 0xc1 is never used; source: the specification of msgpack, table of formats."""
    assert text_of(b"\xc1") == "no msgpack: 0xc1"


def test_a_trace_that_cannot_be_written_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No driver is started for nothing: the message has the path."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing" / "frames.txt"))
    with pytest.raises(SelectorError, match=r"cannot be written: .*missing/frames\.txt"), open_driver("reference"):
        pass


def test_a_full_disk_is_no_fault_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls go on without the trace; writing to /dev/full fails with ENOSPC (full(4))."""
    monkeypatch.setenv(VARIABLE, "/dev/full")
    with open_driver("reference") as driver:
        assert driver.device.get_version_string()
