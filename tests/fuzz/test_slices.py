"""Slices of a job: each records the inputs that end its processes, even if other slices use the same folders."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from nnvet.fuzz import slices
from nnvet.fuzz.findings import INPUT, ChildConfig, FindingKind, FuzzFinding, read_saved
from nnvet.fuzz.forking import Forker, ForkOrder
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.slices import Slice
from tests.fuzz.test_target import REPORT

HARNESS = HARNESSES["request"]
LIMIT_S = 300


class Ending:
    """Stands for what forks processes: each ends with an input and last words, the last one without."""

    def __init__(self, inputs: list[tuple[bytes, str]], meet: Callable[[], object] = lambda: None) -> None:
        """Write these one by one; after each ``meet`` is called."""
        self._left = inputs
        self._meet = meet
        self.code = 0

    def run(self, order: ForkOrder) -> Iterator[str]:
        """Be one process."""
        prefix = next(argument for argument in order.arguments if argument.startswith("-artifact_prefix=")).partition(
            "="
        )[2]
        self.code = 77 if self._left else 0
        if self._left:
            data, words = self._left.pop(0)
            Path(f"{prefix}crash-{data.hex()}").write_bytes(data)
            yield from words.splitlines(keepends=True)
            self._meet()

    def stop(self) -> None:
        """Nothing runs."""

    def end(self, _: int = 0) -> None:
        """Nothing runs."""


def slice_of(folder: Path, forker: Ending, *, in_process: bool = True) -> Slice:
    """A slice that writes into a folder; its processes are not real ones."""
    config = ChildConfig("request", "reference", in_process, 60.0, 3072, str(folder / "findings"))
    return Slice(HARNESS, config, folder / "corpus", folder, cast("Forker", forker))


def test_slices_that_end_at_once_record_their_own_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads of a job fuzz one harness: neither takes the other's input away, nor runs it."""
    run_again: list[tuple[str, bytes]] = []

    def found(_: ChildConfig, file: Path) -> FuzzFinding:
        data = file.read_bytes()
        run_again.append((threading.current_thread().name, data))
        return FuzzFinding(FindingKind.DEATH, "driver/crash", "it dies", place=data.hex())

    monkeypatch.setattr(slices, "finding_in_process", found)
    both = threading.Barrier(2, timeout=LIMIT_S)
    running = [slice_of(tmp_path, Ending([(name, "")], both.wait)) for name in (b"a", b"b")]
    threads = [
        threading.Thread(target=fuzzing.run, args=(LIMIT_S,), name=name)
        for name, fuzzing in zip("ab", running, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(run_again) == [("a", b"a"), ("b", b"b")]
    assert len(list(read_saved(tmp_path / "findings"))) == 2


def test_deaths_that_do_not_come_back_have_their_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each report is a finding of its own, with the first input; without one each input is."""
    monkeypatch.setattr(slices, "finding_in_process", lambda _config, _file: None)
    overflow, other = (REPORT.format(kind="heap-buffer-overflow", line=line) for line in (3, 4))
    words = [(b"ab", overflow), (b"cd", other), (b"ef", overflow), (b"gh", "killed"), (b"ij", "killed")]
    slice_of(tmp_path, Ending(words)).run(LIMIT_S)
    found = {(folder / INPUT).read_bytes(): known for known, folder in read_saved(tmp_path / "findings")}
    assert sorted(found) == [b"ab", b"cd", b"gh", b"ij"]
    assert [found[data].kind for data in (b"ab", b"gh")] == [FindingKind.SANITIZER, FindingKind.DEATH]
    assert "pool.cpp:4 in copy" in found[b"cd"].message
    assert {known.rule for known in found.values()} == {"driver/crash"}


def test_the_death_of_a_fuzzer_is_no_fault_of_a_driver_in_a_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No rule is broken: the log calls it ERROR."""
    monkeypatch.setattr(slices, "finding_in_process", lambda _config, _file: None)
    slice_of(tmp_path, Ending([(b"a", "CHECK failed")]), in_process=False).run(LIMIT_S)
    ((known, _),) = read_saved(tmp_path / "findings")
    assert known.rule == ""
    assert "CHECK failed" in known.message
    assert replace(known, rule="x").key != known.key
