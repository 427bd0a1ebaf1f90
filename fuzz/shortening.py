"""Makes the input of a finding short: whatever can be left out is left out while the finding stays the same.

``python -m nnvet.fuzz.shortening CONFIG FILE KEY SECONDS`` does it in a process of its own, which may die of it.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from nnvet.fuzz.configuration import ChildConfig
from nnvet.fuzz.findings import FindingKind
from nnvet.fuzz.harness import OneInput
from nnvet.fuzz.leaks import LeakCheck
from nnvet.fuzz.preloading import environment_of, hand_on, kill_group
from nnvet.fuzz.registry import HARNESSES
from nnvet.fuzz.replaying import finding_in
from nnvet.fuzz.target import DriverChoice

_START_S: Final = 60.0
_LEAK_S: Final = 2.0
"""Seconds in which an input shows a leak, or not."""

Smaller = Callable[[bytes], Iterator[bytes]]


def shortened(one_input: OneInput, data: bytes, key: str, smaller: Smaller, seconds: float) -> bytes:
    """The shortest input found within some seconds whose finding has this key; ``data`` if there is none shorter."""
    end = time.monotonic() + seconds
    is_shorter = True
    while is_shorter:
        is_shorter = False
        for candidate in (*smaller(data), *_without_pieces(data)):
            if time.monotonic() > end:
                return data
            if len(candidate) >= len(data):
                continue
            finding = finding_in(one_input, candidate)
            if finding is not None and finding.key == key:
                data, is_shorter = candidate, True
                break
    return data


def _without_pieces(data: bytes) -> Iterator[bytes]:
    """The bytes without each half, each quarter, and so on."""
    size = len(data) // 2
    while size:
        for begin in range(0, len(data), size):
            yield data[:begin] + data[begin + size :]
        size //= 2


def shorten_in_process(config: ChildConfig, file: Path, key: str, seconds: float) -> None:
    """Make an input shorter, in its file, by a process of its own; if that dies it stays as it is."""
    command = [sys.executable, "-P", "-m", "nnvet.fuzz.shortening", msgspec.json.encode(config).decode()]
    process = subprocess.Popen(
        [*command, str(file), key, str(seconds)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=environment_of(in_process=config.in_process),
    )
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_START_S + seconds)
    finally:
        kill_group(process)


def main(arguments: list[str]) -> None:
    """Shorten, and write what is left over the file."""
    hand_on()
    text, place, key, seconds = arguments
    config = msgspec.json.decode(text, type=ChildConfig)
    harness, file = HARNESSES[config.harness], Path(place)
    choice = DriverChoice(config.driver, config.in_process, config.timeout_s, config.memory_mib << 20)
    with harness.opens(choice) as one_input:
        looking = LeakCheck(one_input, _LEAK_S, every=1) if key.startswith(FindingKind.LEAK) else one_input
        data = shortened(looking, file.read_bytes(), key, harness.smaller, float(seconds))
    unfinished = file.with_name(f"{file.name}.new")
    unfinished.write_bytes(data)
    unfinished.replace(file)


if __name__ == "__main__":
    main(sys.argv[1:])
