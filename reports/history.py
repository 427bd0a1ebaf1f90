"""The runs of a driver over days: one line of JSON for each, appended to a file.

The file is ``history.jsonl`` in a folder. A line that was cut off, for instance by a full disk, is the only one lost.

A log has a digest of outputs and shares of error bounds for each case. A history has these numbers for each part of a
run (an operation in one type, or a suite); that is small enough to be kept for years.
:mod:`nnvet.reports.series` compares the runs.
"""

from __future__ import annotations

import fcntl
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import force_setattr

from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Command, Verdict
from nnvet.reports.figures import figures_of
from nnvet.reports.files import check_file, read_file
from nnvet.reports.fingerprint import Fold, fold
from nnvet.reports.log import LogError
from nnvet.reports.outcome import RunOutcome, judge
from nnvet.reports.values import Real, json_safe, spelt

if TYPE_CHECKING:
    from nnvet.reports.log import Log

_DIGEST_BYTES: Final = 6
"""Size of the digest of a part's outputs."""


class PartNumbers(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The cases of one operation in one type, or of a suite.

    ``cases`` passed with values, ``digest`` is that of their names and outputs together; ``bound_used`` is the largest
    share of an error bound. ``passed`` and ``unsupported`` count all cases.
    """

    passed: int = 0
    unsupported: int = 0
    cases: int = 0
    digest: str = ""
    bound_used: float | None = None


def part_numbers(results: Iterable[CaseFinished]) -> dict[str, PartNumbers]:
    """Return the numbers of each part, in the order of their names."""
    parts: defaultdict[str, list[CaseFinished]] = defaultdict(list)
    for result in results:
        parts[_part_of(result)].append(result)
    return {name: _summed(parts[name]) for name in sorted(parts)}


def _part_of(result: CaseFinished) -> str:
    if len(result.operations) != 1:
        return result.suite
    return " ".join((result.operations[0], *result.operand_types[:1]))


def _summed(results: list[CaseFinished]) -> PartNumbers:
    verdicts = [result.verdict for result in results]
    numbered = sorted((result.case, result.numbers) for result in results if result.numbers)
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for case, numbers in numbered:
        digest.update(f"{case} {numbers.digest}\n".encode())
    shares = [numbers.bound_used for _, numbers in numbered if numbers.bound_used is not None]
    return PartNumbers(
        verdicts.count(Verdict.PASS),
        verdicts.count(Verdict.UNSUPPORTED),
        len(numbered),
        digest.hexdigest() if numbered else "",
        max(shares, default=None),
    )


FILE: Final = "history.jsonl"
"""Name of the file inside the folder."""
HISTORY_VERSION: Final = 1
"""Version of a line; changes when an older reader could not read it."""

WHOLE: Final = "1/1"
"""The shard of an undivided run."""

_WANTED: Final = "give the folder of nnvet run --history"
"""Advice at the end of errors."""
_FAILING: Final = (*DRIVER_FAULTS, Verdict.WAIVED)
"""Verdicts whose fingerprints a history keeps."""


class HistoryError(LogError):
    """A history cannot be written or read; the text says where, why and what to do."""


class KnownFault(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Cases of a run with one fingerprint: the first one, their number, and its ``verdict``, perhaps WAIVED.

    ``operations`` are those of cases of one operation; lines of old versions name none.
    """

    verdict: Verdict
    case: str
    rule: str = ""
    cases: int = 1
    operations: tuple[str, ...] = ()

    @property
    def is_waived(self) -> bool:
        """Return True if a waiver accepts it."""
        return self.verdict is Verdict.WAIVED


class ModelFigures(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A model measured on the driver: the median latency in seconds, None if it did not run, and accuracy."""

    median_s: float | None = None
    accuracy: dict[str, Real] = {}

    def __post_init__(self) -> None:
        """Read numbers that are not finite."""
        force_setattr(self, "accuracy", {key: float(value) for key, value in self.accuracy.items()})


class RunFacts(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Facts about a finished run; fields as in the log's header and footer.

    ``brief`` is the verdict with its profiles. ``is_whole``: every selected case was judged. ``seed`` is what
    random models were made from. ``faults`` are by fingerprint, ``models`` by the model's name, ``parts`` by operation
    and type, or suite.
    """

    history: int
    time: str
    selector: str
    outcome: RunOutcome
    counts: dict[Verdict, int]
    duration_s: float
    suite_version: str
    is_whole: bool
    command: Command = Command.RUN
    name: str = ""
    version: str = ""
    level: int | None = None
    shard: str = WHOLE
    selection: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    seed: int | None = None
    faults: dict[str, KnownFault] = {}
    models: dict[str, ModelFigures] = {}
    brief: str = ""
    parts: dict[str, PartNumbers] = {}

    @property
    def verdict(self) -> str:
        """Return the outcome in a few words; lines of old versions do not name the profiles of a conformant run."""
        return self.brief or (RunOutcome.NO_FAULT if self.outcome is RunOutcome.CONFORMANT else self.outcome)

    @property
    def key(self) -> tuple[object, ...]:
        """Return the key of runs that can be compared; versions of the driver may differ."""
        return self.command, self.selector, self.name, self.level, self.shard, self.selection, self.options

    def tells_of(self, seen: RunFacts) -> bool:
        """Return True if this run, of the same key, would have met a fault of ``seen`` if it were still there."""
        if self.command is Command.RANDOM and (self.seed != seen.seed or self.total < seen.total):
            return False
        return self.is_whole and self.command is not Command.FUZZ

    @property
    def total(self) -> int:
        """Return the number of its cases."""
        return sum(self.counts.values())

    @property
    def driver(self) -> str:
        """Return the driver's name, or its selector."""
        return self.name or self.selector

    @property
    def date(self) -> str:
        """Return day and minute in UTC."""
        return self.time[:16].replace("T", " ")


def facts_of(log: Log) -> RunFacts:
    """Return the facts that a history keeps of a log.

    :raises HistoryError: the run is not finished.
    """
    if log.finished is None:
        raise HistoryError(f"{log.path}: the run did not come to its end; only finished runs make a history")
    run, counts, judgement = log.started, log.counts, judge(log)
    folds = fold(result for result in log.results.values() if result.verdict in _FAILING)
    return RunFacts(
        history=HISTORY_VERSION,
        time=run.time,
        selector=run.driver.selector,
        outcome=judgement.outcome,
        brief=judgement.brief,
        counts={verdict: count for verdict, count in counts.items() if count},
        duration_s=log.finished.duration_s,
        suite_version=run.suite_version,
        is_whole=log.is_complete
        and not log.finished.cut_short
        and not (counts[Verdict.NOT_RUN] or counts[Verdict.ERROR])
        and len(log.results) >= (run.planned or 0),
        command=run.command,
        name=run.driver.name,
        version=run.driver.version,
        level=run.level,
        shard=run.shard,
        selection=run.selection,
        options=run.options,
        seed=run.seed,
        faults={group.fingerprint: _known(group) for group in folds},
        models=_models(log),
        parts=part_numbers(log.results.values()),
    )


def _known(group: Fold) -> KnownFault:
    example = group.example
    single = {result.operations[0] for result in group.results if len(result.operations) == 1}
    return KnownFault(example.verdict, example.case, example.rule, group.count, tuple(sorted(single)))


def _models(log: Log) -> dict[str, ModelFigures]:
    """Return the figures of each model by its name, with several drivers also by the backend's."""
    own = [measurement for measurement in log.measurements if not measurement.is_baseline]
    several = len({measurement.backend for measurement in own}) > 1
    return {
        f"{measurement.model} on {measurement.backend}" if several else measurement.model: ModelFigures(
            measurement.latency.p50_s if measurement.latency else None, figures_of(measurement)
        )
        for measurement in own
    }


@dataclass(frozen=True)
class History:
    """The runs of a history, oldest first; ``damaged`` names the lines that were left out, with the reasons."""

    path: Path
    runs: tuple[RunFacts, ...]
    damaged: tuple[str, ...] = ()


def read_history(folder: Path) -> History:
    """Read the runs that a folder keeps.

    :raises HistoryError: it has no history, or one of another version, or no line of it can be read.
    """
    path = folder / FILE
    try:
        found = _parse(path, read_file(path))
    except OSError as error:
        raise HistoryError(f"{path}: cannot read the history ({error.strerror or error}); {_WANTED}") from error
    if not found.runs:
        causes = f" ({found.damaged[0]})" if found.damaged else ""
        raise HistoryError(f"{path}: no run is in it{causes}; {_WANTED}")
    return found


def append_run(folder: Path, facts: RunFacts) -> History:
    """Add a run unless the history has it, and return all runs; other processes wait meanwhile.

    An unfinished last line stays as it is, and the new run begins on a new line.

    :raises HistoryError: the file is not a history, or the folder cannot be written.
    """
    line = msgspec.json.encode(json_safe(msgspec.to_builtins(facts))) + b"\n"
    with _locked(folder / FILE) as file:
        content = file.readall()
        before = _ours(folder / FILE, content)
        if facts in before.runs:
            return before
        _write(file, (b"" if content.endswith(b"\n") or not content else b"\n") + line, len(content))
        return History(before.path, _in_order((*before.runs, facts)), before.damaged)


def check_folder(folder: Path) -> History:
    """Return the contents of a folder before a run is added to it; create the folder and its file if necessary.

    :raises HistoryError: no run could be added.
    """
    path = folder / FILE
    with _locked(path) as file:
        return _ours(path, file.readall())


def _ours(path: Path, content: bytes) -> History:
    """Return the contents of a file to add to; in a foreign text every line is damaged, and none is cut off.

    :raises HistoryError: it is no history.
    """
    found = _parse(path, content)
    if found.damaged and not found.runs and content.endswith(b"\n"):
        raise HistoryError(f"{path}: not a history; choose another folder")
    return found


@contextmanager
def _locked(path: Path) -> Iterator[FileIO]:
    """Open the file for appending, locked, so that no other process writes to it during the block."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b", buffering=0) as file:
            check_file(file.fileno(), path)
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            yield file
    except OSError as error:
        raise HistoryError(f"{path}: cannot write the history ({error.strerror or error})") from error


def _write(file: FileIO, line: bytes, size: int) -> None:
    """Append a whole line, or nothing."""
    rest = memoryview(line)
    try:
        while rest:
            rest = rest[file.write(rest) or 0 :]
        os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            file.truncate(size)
        raise


def _parse(path: Path, content: bytes) -> History:
    """Return the lines of a history, and the numbers of lines that are not JSON because they were cut off.

    :raises HistoryError: a line is JSON, but not a run of this version.
    """
    runs, damaged = [], []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            runs.append(_decode(line))
        except msgspec.ValidationError as error:
            raise HistoryError(f"{path}:{number}: not a run of a history: {error}; {_WANTED}") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            damaged.append(f"{path}:{number}: left out, cut off or damaged: {error}")
    return History(path, _in_order(runs), tuple(damaged))


class _Version(msgspec.Struct):
    history: int


def _decode(line: bytes) -> RunFacts:
    version = msgspec.json.decode(line, type=_Version).history
    if version != HISTORY_VERSION:
        raise msgspec.ValidationError(f"version {version}, but this nnvet reads version {HISTORY_VERSION}")
    return msgspec.convert(spelt(msgspec.json.decode(line)), RunFacts)


def _in_order(runs: Sequence[RunFacts]) -> tuple[RunFacts, ...]:
    return tuple(sorted(runs, key=lambda run: run.time))
