"""End of a fuzzing job: shorten the inputs of findings, reduce their models, keep the inputs as regressions.

``python -m nnvet.fuzz.finishing CONFIG FILE KEY SECONDS`` shortens an input: it removes bytes as long as the finding
stays the same. That is a separate process, because the input may kill it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.engine.driver import DriverLostError
from nnvet.conformance.engine.reducing import Finding, save_search, search_on
from nnvet.fuzz.findings import INPUT, ChildConfig, FindingKind, SavedFinding, for_harness, read_saved
from nnvet.fuzz.harness import HARNESSES, Harness, OneInput
from nnvet.fuzz.leaks import LeakCheck
from nnvet.fuzz.native_edges import enable_preload, environment_of, kill_group
from nnvet.fuzz.replaying import finding_in
from nnvet.fuzz.target import service_of, target_of
from nnvet.generators.reducer.evaluation import NotReducibleError, complete
from nnvet.graphs.model import TestModel

_START_S: Final = 60.0
"""Seconds that the process may take to start, before those of the search."""
_LEAK_S: Final = 2.0
"""Seconds that one input needs to show a leak."""

Smaller = Callable[[bytes], Iterator[bytes]]
"""Function that yields simpler inputs to try in place of one, like ``smaller`` of a harness."""


def shorten(one_input: OneInput, data: bytes, key: str, smaller: Smaller, seconds: float) -> bytes:
    """Return the shortest input found within some seconds whose finding has this key; ``data`` if none is shorter."""
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
    """Yield the bytes without each half, without each quarter, and so on."""
    size = len(data) // 2
    while size:
        for begin in range(0, len(data), size):
            yield data[:begin] + data[begin + size :]
        size //= 2


def shorten_in_process(config: ChildConfig, file: Path, key: str, seconds: float) -> None:
    """Shorten the input in a file, in a child process; if that dies, the input stays as it is."""
    command = [sys.executable, "-P", "-m", "nnvet.fuzz.finishing", msgspec.json.encode(config).decode()]
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
    """Shorten an input, and overwrite its file with the result."""
    enable_preload()
    text, place, key, seconds = arguments
    config = msgspec.json.decode(text, type=ChildConfig)
    harness, file = HARNESSES[config.harness], Path(place)
    with harness.open(target_of(config)) as one_input:
        looking = LeakCheck(one_input, _LEAK_S, every=1) if key.startswith(FindingKind.LEAK) else one_input
        data = shorten(looking, file.read_bytes(), key, harness.smaller, float(seconds))
    unfinished = file.with_name(f"{file.name}.new")
    unfinished.write_bytes(data)
    unfinished.replace(file)


MOST: Final = 8
"""Maximal number of findings of a job that are made small; the others stay as they are."""
_SECONDS: Final = 10.0
"""Seconds for shortening one input."""
_EXECUTIONS: Final = 150
"""Most executions of the driver for reducing the model of one finding."""
_FATAL_EXECUTIONS: Final = 20
"""Most executions of a reduction if each one may end the driver's process, which then has to be started anew."""
_FATAL: Final = (FindingKind.DEATH, FindingKind.HANG, FindingKind.MEMORY, FindingKind.SANITIZER)
"""Kinds of findings that end the process, or take long, each time; their inputs are not shortened."""


def finish(config: ChildConfig, harnesses: Mapping[str, Harness], out: Path) -> dict[str, Path]:
    """Make the findings of a job small; return the specs of those that could be reduced, by key.

    Specs are saved in ``out/failures``, like those of other failures.
    """
    specs = {}
    for known, folder in list(read_saved(Path(config.findings)))[:MOST]:
        harness = harnesses.get(known.harness)
        if harness is None:
            continue
        file = folder / INPUT
        if known.kind not in _FATAL:
            guided = for_harness(config, harness.name, (), compares=False)
            shorten_in_process(guided, file, known.key, _SECONDS)
        test = harness.test_of(file.read_bytes())
        spec = None if test is None else reduce_finding(test, known, config, out)
        if spec is not None:
            specs[known.key] = spec
    return specs


def reduce_finding(test: TestModel, known: SavedFinding, config: ChildConfig, out: Path) -> Path | None:
    """Return the spec of the smallest test that fails on a finding's driver; None: the test does not fail there."""
    target = replace(service_of(config), selector=known.driver)
    case = f"Fuzz/{known.harness}/{known.key}"
    try:
        whole, _ = complete(test)
        search = search_on(target, whole, case, _FATAL_EXECUTIONS if known.kind in _FATAL else _EXECUTIONS)
        if search.reduction is None:
            return None
        found = save_search(search, Finding(whole, case, known.driver, search.first), out)
    except (NotReducibleError, SelectorError, DriverLostError, OSError):
        return None
    return None if found.files is None else found.files.spec


def keep(findings: Path, regressions: Path) -> int:
    """Copy the inputs of all findings to ``regressions/HARNESS/KEY``; the shortest stays. Return their number.

    :raises OSError: they cannot be written.
    """
    count = 0
    for known, folder in read_saved(findings):
        place = regressions / known.harness
        place.mkdir(parents=True, exist_ok=True)
        file, kept = folder / INPUT, place / known.key
        if not kept.exists() or file.stat().st_size < kept.stat().st_size:
            shutil.copyfile(file, kept)
        count += 1
    return count


if __name__ == "__main__":
    main(sys.argv[1:])
