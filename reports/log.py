"""Logs: files of JSON lines, one for each event of :mod:`nnvet.reports.events`, that survive a crash of the run.

:class:`EventLog` writes a log, :func:`read_log` reads one as a :class:`Log`, from which all reports are rendered. Both
check the order of events: each case begins and ends once, between header and footer.
"""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from io import RawIOBase
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from msgspec.structs import replace

from nnvet.reports import events
from nnvet.reports.evidence import check_form
from nnvet.reports.files import MALFORMED, create_file, file_over, open_file, unfinished
from nnvet.reports.fingerprint import fingerprint
from nnvet.reports.pictures import pictured_once
from nnvet.reports.values import printable

FILE_NAME: Final = "run.jsonl"
"""Name of a log in the folder of a run."""
_WANTED: Final = "give the run.jsonl of a run"
"""Advice at the end of errors."""

_LINE_BYTES: Final = 64 << 20
"""Most bytes of an event, limited because reading a line needs memory of eight times its length."""
_PIECE_BYTES: Final = 1 << 20
"""Bytes that are read at a time when the file is checked."""


class LogError(Exception):
    """A log cannot be written or read; the text says where, why and what to do."""


class ResultsLostError(LogError):
    """Results of a run could not be saved completely, or were changed after they were saved."""


class _Contents:
    """The events of a log so far; it checks their order, for the writer and the reader."""

    def __init__(self) -> None:
        """Begin an empty log, whose first event has to be ``run_started``."""
        self.started: events.RunStarted | None = None
        self.finished: events.RunFinished | None = None
        self.open_cases: dict[str, None] = {}
        self.results: dict[str, events.CaseFinished | int] = {}
        self._counts: Counter[events.Verdict] = Counter()
        self.measurements: dict[tuple[str, str], events.Measurement] = {}
        self.reductions: dict[str, events.LoggedReduction] = {}
        self.space: events.ModelSpace | None = None
        self.fuzzing: dict[str, events.FuzzingFinished] = {}

    def add(self, event: events.Event, begin: int | None = None) -> None:
        """Add the next event. ``begin`` is the offset of its line in a file that can be read again.

        With an offset, only that and the verdict of an ended case are kept: a run of days has millions of cases.

        :raises LogError: the event must not come here.
        """
        self._check_place(event)
        match event:
            case events.RunStarted():
                self._begin(event)
            case events.CaseStarted():
                self._open(event.case)
            case events.CaseFinished():
                self._close(event, begin)
            case events.Measurement():
                self._measure(event)
            case events.LoggedReduction():
                self.reductions[event.fingerprint] = event
            case events.ModelSpace():
                self.space = event
            case events.FuzzingFinished():
                self._fuzz(event)
            case events.RunFinished():
                self._end(event)

    def _check_place(self, event: events.Event) -> None:
        if isinstance(event, events.RunStarted) is (self.started is not None):
            raise LogError("a log has one run_started event, as its first line")
        if self.finished is not None:
            raise LogError("nothing may follow run_finished")

    def counts(self) -> dict[events.Verdict, int]:
        """Return the number of finished cases by verdict, in the order of verdicts; only those that occur."""
        return {verdict: self._counts[verdict] for verdict in events.Verdict if self._counts[verdict]}

    def load(self, read: Callable[[int], bytes]) -> None:
        """Load all cases again; ``read`` returns the line at an offset.

        :raises LogError: a line has changed since it was written.
        """
        for case, place in self.results.items():
            if isinstance(place, int):
                self.results[case] = _of_case(case, read(place))

    def log(self, path: Path) -> "Log":
        """Return everything, as the log at ``path``.

        :raises LogError: there is no header yet.
        """
        if self.started is None:
            raise LogError(f"{path}: no events; {_WANTED}")
        unfinished, measurements = tuple(self.open_cases), tuple(self.measurements.values())
        return Log(
            path,
            self.started,
            {case: result for case, result in self.results.items() if not isinstance(result, int)},
            unfinished,
            measurements,
            self.finished,
            tuple(self.reductions.values()),
            self.space,
            tuple(self.fuzzing.values()),
        )

    def _begin(self, event: events.RunStarted) -> None:
        if event.log_version != events.LOG_VERSION:
            raise LogError(f"log version {event.log_version}, but this nnvet reads version {events.LOG_VERSION}")
        self.started = event

    def _open(self, case: str) -> None:
        if not case or not case.isprintable():
            raise LogError(f"case id {case!r} is empty or has characters that cannot be printed")
        if case in self.open_cases or case in self.results:
            raise LogError(f"case {case!r} begins twice; case ids are unique in a log")
        self.open_cases[case] = None

    def _close(self, event: events.CaseFinished, begin: int | None) -> None:
        if event.case in self.results:
            raise LogError(f"case {event.case!r} ends twice; case ids are unique in a log")
        if event.case not in self.open_cases:
            if event.verdict is not events.Verdict.NOT_RUN:
                raise LogError(f"case {event.case!r} ends with {event.verdict} without having begun")
            self._open(event.case)
        del self.open_cases[event.case]
        self.results[event.case] = event if begin is None else begin
        self._counts[event.verdict] += 1

    def _measure(self, event: events.Measurement) -> None:
        key = event.model, event.backend
        if key in self.measurements:
            raise LogError(f"model {key[0]!r} is measured twice on {key[1]!r}; a log has one measurement")
        self.measurements[key] = event

    def _fuzz(self, event: events.FuzzingFinished) -> None:
        if event.harness in self.fuzzing:
            raise LogError(f"harness {event.harness!r} is fuzzed twice; a log has it once")
        self.fuzzing[event.harness] = event

    def _end(self, event: events.RunFinished) -> None:
        counts = {verdict: count for verdict, count in event.counts.items() if count}
        if counts != self.counts():
            raise LogError(f"run_finished counts {_text(counts)}, but the log holds {_text(self.counts())}")
        self.finished = event


class EventLog:
    """Writer of a log. Every line is flushed, so that nothing is lost when the process dies.

    Threads may share it; a forked child may not use it. Leaving the ``with`` block without :meth:`finish`
    leaves a log that is readable and incomplete.
    """

    def __init__(self, file: RawIOBase, path: Path, started: events.RunStarted) -> None:
        """Write the header; see :meth:`create`."""
        self.path = path
        self._file = file
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._contents = _Contents()
        self._size = 0
        self._digest = blake2b()
        self._pictured: set[str] = set()
        self._is_there = False
        self._begin = time.monotonic()
        self._write(started)

    @classmethod
    def create(
        cls,
        path: str | Path,
        started: events.RunStarted,
        kept: Sequence[events.CaseFinished] = (),
        measured: Sequence[events.Measurement] = (),
    ) -> Self:
        """Begin a log at ``path``, replacing an old one; some of its cases and measurements may be kept.

        :raises LogError: the file cannot be written; then the old one is unchanged.
        """
        path = Path(path)
        # The old log stays until the new one has its header and everything that is kept.
        place = unfinished(path)
        with ExitStack() as undo:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                # Unbuffered, because a buffer would try to write again when the file is closed.
                file = undo.enter_context(file_over(create_file(place), "a+b"))
                undo.callback(place.unlink, missing_ok=True)
                log = cls(file, path, started)
                for measurement in measured:
                    log._write(measurement)
                for result in kept:
                    log._write(events.CaseStarted(result.case))
                    # Process and time are those of another run.
                    log._write(replace(result, process=0, began_s=0.0))
                place.replace(path)
                log._is_there = True
            except OSError as error:
                reason = error.strerror or error
                raise LogError(f"{path}: cannot write the log ({reason}); choose another --out") from error
            undo.pop_all()
        return log

    def __enter__(self) -> Self:
        """Return the writer itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, finished or not."""
        self.close()

    @property
    def counts(self) -> dict[events.Verdict, int]:
        """Return the number of finished cases by verdict; only verdicts that occur."""
        with self._lock:
            return self._contents.counts()

    @property
    def so_far(self) -> "Log":
        """Return the log as :func:`read_log` would read it now, without reading the file."""
        with self._lock:
            self._load()
            return self._contents.log(self.path)

    def _load(self) -> None:
        """Read the ends of cases from the file again."""
        try:
            with open_file(self.path) as file:

                def read(begin: int) -> bytes:
                    file.seek(begin)
                    return file.readline()

                self._contents.load(read)
        except (OSError, ValueError, LogError) as error:
            raise ResultsLostError(f"{self.path}: the log cannot be read again: {error}") from error

    def case_started(self, case: str) -> None:
        """Log that a case begins.

        :raises LogError: the id is not new or cannot be printed.
        """
        self._write(events.CaseStarted(printable(case)))

    def case_finished(
        self,
        case: str,
        verdict: events.Verdict,
        *,
        duration_s: float = 0.0,
        rule: str = "",
        reason: str = "",
        evidence: Mapping[str, Any] | None = None,
        labels: Mapping[str, Any] | None = None,
        numbers: events.Numbers | None = None,
        computed_by: str = "",
        process: int = 0,
        began: float | None = None,
    ) -> None:
        """Log the end of a case; see :class:`nnvet.reports.events.CaseFinished` for the fields.

        ``began`` is by the clock of :func:`time.monotonic`.

        :raises LogError: the case has not begun (unless NOT_RUN) or has ended already.
        """
        event = events.CaseFinished(
            printable(case),
            verdict,
            rule,
            reason,
            dict(evidence or {}),
            float(duration_s),
            dict(labels or {}),
            numbers=numbers,
            computed_by=printable(computed_by),
            process=process,
            began_s=0.0 if began is None else round(max(began - self._begin, 0.0), 3),
        )
        if verdict is not events.Verdict.PASS:
            event = pictured_once(replace(event, fingerprint=fingerprint(event)), self._pictured)
        self._write(event)

    def measurement(self, measurement: events.Measurement) -> None:
        """Log a benchmark's result.

        :raises LogError: the model has been measured on this backend already.
        """
        self._write(measurement)

    def model_space(self, space: events.ModelSpace) -> None:
        """Log the possible contents of a campaign's random models."""
        self._write(space)

    def reduction(self, reduction: events.LoggedReduction) -> None:
        """Log a failure that was made small; a later one with the same fingerprint replaces it."""
        self._write(reduction)

    def fuzzing(self, finished: events.FuzzingFinished) -> None:
        """Log the end of the fuzzing of a harness.

        :raises LogError: the harness is in the log already.
        """
        self._write(finished)

    def finish(
        self,
        exit_code: int,
        problems: tuple[str, ...] = (),
        duration_s: float | None = None,
        *,
        cut_short: bool = False,
        profiles: Sequence[events.ProfileResult] = (),
        wanted: Sequence[str] = (),
        waivers: Mapping[str, str] | None = None,
    ) -> events.RunFinished:
        """Write the footer with the given fields, and close the log.

        ``duration_s`` is by default the time since the log was begun.

        :raises ResultsLostError: the file was removed or changed by another process.
        """
        duration_s = time.monotonic() - self._begin if duration_s is None else duration_s
        more = tuple(profiles), tuple(wanted), dict(waivers or {})
        footer = events.RunFinished(self.counts, exit_code, duration_s, tuple(problems), cut_short, *more)
        self._write(footer)
        self._check_untouched()
        with self._lock:
            self._load()
        self.close()
        return footer

    def close(self) -> None:
        """Close the file, unless it is closed already."""
        self._file.close()

    def _write(self, event: events.Event) -> None:
        if os.getpid() != self._owner:
            raise LogError(f"{self.path}: only the process that began a log writes it; send events to it instead")
        line = events.encode(event) + b"\n"
        with self._lock:
            try:
                # A line that may contain odd values is decoded again, so that nothing unreadable is written.
                self._contents.add(event if events.is_plain(event) else events.decode(line), self._size)
                self._append(line)
            except OSError as error:
                advice = "what was logged before is kept; free some space and go on with --resume"
                kind = ResultsLostError if self._is_there else LogError
                raise kind(f"{self.path}: cannot write the log ({error.strerror or error}); {advice}") from error
            except (LogError, ValueError) as error:
                raise LogError(f"{self.path}: {event.__struct_config__.tag} not logged: {error}") from error

    def _append(self, line: bytes) -> None:
        """Write a whole line, or nothing."""
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError:
            with suppress(OSError):
                self._file.truncate(self._size)
            raise
        self._size += len(line)
        self._digest.update(line)

    def _check_untouched(self) -> None:
        """Check that the file is unchanged, because a driver may be able to reach it.

        :raises ResultsLostError: it was changed.
        """
        found, ours = blake2b(), os.fstat(self._file.fileno())
        try:
            there = self.path.stat(follow_symlinks=False)
            is_ours = (there.st_dev, there.st_ino, ours.st_size) == (ours.st_dev, ours.st_ino, self._size)
            for start in range(0, self._size if is_ours else 0, _PIECE_BYTES):
                found.update(os.pread(self._file.fileno(), _PIECE_BYTES, start))
        except OSError:
            is_ours = False
        if not is_ours or found.digest() != self._digest.digest():
            raise ResultsLostError(
                f"{self.path}: somebody has removed or changed the log while the run was writing it, so its verdicts "
                "say nothing; keep --out where the driver does not write, and run again"
            )


@dataclass(frozen=True)
class Log:
    """A log that has been read. ``unfinished`` are cases that began and never ended.

    Of several reductions with the same fingerprint it has the last.
    """

    path: Path
    started: events.RunStarted
    results: Mapping[str, events.CaseFinished]
    unfinished: tuple[str, ...]
    measurements: tuple[events.Measurement, ...]
    finished: events.RunFinished | None
    reductions: tuple[events.LoggedReduction, ...] = ()
    space: events.ModelSpace | None = None
    fuzzing: tuple[events.FuzzingFinished, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Return True if the run has ended, and so has every case that it began."""
        return self.finished is not None and not self.unfinished

    @cached_property
    def counts(self) -> dict[events.Verdict, int]:
        """Return the number of cases by verdict, for all verdicts."""
        counter = Counter(result.verdict for result in self.results.values())
        return {verdict: counter[verdict] for verdict in events.Verdict}


def read_log(path: str | Path) -> Log:
    """Read a log; a last line that was cut off is left out, and the log then has no footer.

    :raises LogError: there is no log at ``path``, or a line breaks the schema or the order of events.
    """
    path = Path(path)
    contents = _Contents()
    for number, event in _events(path):
        try:
            contents.add(event)
        except LogError as error:
            raise LogError(f"{path}:{number}: {error}") from error
    return contents.log(path)


def read_run(place: Path) -> Log:
    """Return the log of a run, given itself or the folder that it lies in.

    :raises LogError: as :func:`read_log`.
    """
    return read_log(place / FILE_NAME if place.is_dir() else place)


def _events(path: Path) -> Iterator[tuple[int, events.Event]]:
    """Yield line numbers and events."""
    try:
        with open_file(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(_LINE_BYTES + 1), b""), start=1):
                if len(line) > _LINE_BYTES:
                    raise LogError(f"{path}:{number}: longer than {_LINE_BYTES >> 20} MiB, as no event is; {_WANTED}")
                try:
                    event = events.decode(line)
                    if isinstance(event, events.CaseFinished):
                        check_form(event)
                except MALFORMED as error:
                    if line.endswith(b"\n"):
                        advice = "see event_log.schema.json" if number > 1 else _WANTED
                        raise LogError(f"{path}:{number}: not an event of a log: {error}; {advice}") from error
                else:
                    yield number, event
    except OSError as error:
        raise LogError(f"{path}: cannot read the log ({error.strerror or error}); {_WANTED}") from error


def _of_case(case: str, line: bytes) -> events.CaseFinished:
    event = events.decode(line)
    if not isinstance(event, events.CaseFinished) or event.case != case:
        raise LogError(f"the end of {case} is not where it was written")
    return event


def _text(counts: Mapping[events.Verdict, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "no cases"
