"""Running of a command on a folder of cases, and the search for the single case to blame if it fails.

:class:`FileCommand` is one run, for :mod:`nnvet.adapters.files.device`; :func:`run_cases` runs whole bundles
(:mod:`nnvet.conformance.bundles`). A failed command may have stopped in the middle of a file, so its files are ignored.
Its cases run again in halves, until one of them fails alone. :mod:`nnvet.adapters.files.layout` defines the folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import msgspec

from nnvet.adapters.files.layout import ERROR, UNSUPPORTED, FileCase, read_outputs, write_manifest
from nnvet.adapters.service.crashes import end_of
from nnvet.adapters.service.strays import (
    MARK_VARIABLE,
    Marked,
    adopt_orphans,
    forget_service,
    kill_group_at_end,
    starting_service,
)
from nnvet.hal.errors import HalError, failure
from nnvet.reports.files import MALFORMED, read_foreign, replace_file

ENDED: Final = "ended.json"
"""The file in a case's folder that says how the command ended on this case alone."""
_TAIL: Final = 1500
"""Most characters kept of the last output of a failed command."""
_SHELL: Final = 128
"""Shells, and programs that run others on devices, add this number to the signal by which a program died."""
_SIGNALS: Final = {int(number) for number in signal.Signals}
"""Numbers of all signals."""


class CommandEnd(msgspec.Struct, frozen=True):
    """A failure of a command in words, and the rule that the driver behind the command breaks."""

    reason: str
    rule: str

    def as_error(self) -> HalError:
        """Return the failure as a driver's answer."""
        return failure(self.reason, self.rule)


@dataclass(frozen=True)
class FileCommand:
    """The words of a command, to which the folder is added, and the seconds that a run may take."""

    words: tuple[str, ...]
    timeout_s: float

    def run(self, folder: Path) -> CommandEnd | None:
        """Run the command on a folder; return None if it ends with exit status 0 in time, otherwise the failure.

        Everything that it has started ends with it, however it ends. If we are killed, the kernel ends its group.

        :raises OSError: the program does not exist.
        """
        with tempfile.TemporaryFile() as output:
            marked = Marked()
            with _lifeline() as lifeline:
                process = self._begin(folder, output, marked, lifeline)
                try:
                    code = process.wait(self.timeout_s)
                except subprocess.TimeoutExpired:
                    return CommandEnd(f"the command has not ended within {self.timeout_s:g} s", "driver/hang")
                finally:
                    _end(process, marked)
            if code == 0:
                return None
            output.seek(max(output.seek(0, 2) - _TAIL, 0))
            printed = output.read().decode(errors="replace").strip()
        return _describe_end(code, f"; it printed: {printed}" if printed else "")

    def _begin(self, folder: Path, output: IO[bytes], marked: Marked, lifeline: int) -> subprocess.Popen[bytes]:
        """Start the command with the mark by which its descendants are known, in a group that ends with us."""
        adopt_orphans()
        with starting_service() as know:
            process = subprocess.Popen(
                [*self.words, str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(lifeline,),
                process_group=0,
                env={**os.environ, MARK_VARIABLE: marked.mark},
            )
            know(process.pid)
        marked.take(process.pid)
        kill_group_at_end(lifeline, process.pid)
        return process


@contextmanager
def _lifeline() -> Iterator[int]:
    """Yield the reading end of a pipe, whose writing end nobody has but this process until the block ends."""
    theirs, ours = os.pipe()
    try:
        yield theirs
    finally:
        os.close(ours)
        os.close(theirs)


def _end(process: subprocess.Popen[bytes], marked: Marked) -> None:
    """Kill a command that still runs, and everything that it has started, also in sessions of its own."""
    if process.poll() is None:
        for pid in list(marked.members()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
    marked.end()
    forget_service(process.pid)


def _describe_end(code: int, printed: str) -> CommandEnd:
    if code < 0:
        return CommandEnd(f"the command was {end_of(code)[0]}{printed}", "driver/crash")
    if (number := code - _SHELL) in _SIGNALS:
        words = f"ended with exit status {code}, as one {end_of(-number)[0]}"
        return CommandEnd(f"the command {words}{printed}", "driver/crash")
    return CommandEnd(f"the command ended with exit status {code}{printed}", "execution/status")


@contextmanager
def folder_of_cases(source: Path, models: str, cases: Sequence[FileCase]) -> Iterator[Path]:
    """Make a temporary folder with copies of some cases, without outputs.

    :raises OSError: a file cannot be read or written.
    """
    with tempfile.TemporaryDirectory(prefix="nnvet-files-") as name:
        folder = Path(name)
        for case in cases:
            (folder / case.name).mkdir()
            for file in case.files:
                shutil.copyfile(source / file, folder / file)
        write_manifest(folder, models, cases)
        yield folder


def run_cases(
    command: FileCommand,
    source: Path,
    models: str,
    cases: Sequence[FileCase],
    tell: Callable[[int], None] = lambda _: None,
) -> None:
    """Run the command on all cases together, then in halves on those that it leaves without outputs.

    Afterwards the folder has, for each case, the outputs, a message of the runner, or :data:`ENDED`. ``tell`` is called
    with the number of cases that are finished.

    :raises OSError: the program does not exist, or a file cannot be read or written.
    """
    with folder_of_cases(source, models, cases) as folder:
        end = command.run(folder)
        left = [case for case in cases if end is not None or not _is_answered(folder, case)]
        for case in cases:
            if case not in left or (end is None and len(cases) == 1):
                _take(folder, source, case)
    tell(len(cases) - len(left))
    if len(cases) > 1 and left:
        # Halve the remaining cases, even if most cases succeeded: any of them may have broken the run.
        middle = (len(left) + 1) // 2
        for part in (left[:middle], left[middle:]):
            if part:
                run_cases(command, source, models, part, tell)
    elif left:
        if end is not None:
            replace_file(source / left[0].name / ENDED, msgspec.json.encode(end))
        tell(1)


def is_done(folder: Path, case: FileCase) -> bool:
    """Return True if the folder has the result of a case."""
    return (folder / case.name / ENDED).exists() or _is_answered(folder, case)


def _is_answered(folder: Path, case: FileCase) -> bool:
    """Return True if a case has all its outputs, or a message of the runner."""
    if any((folder / case.name / note).exists() for note in (ERROR, UNSUPPORTED)):
        return True
    try:
        read_outputs(folder, case.name, case.outputs)
    except HalError:
        return False
    return True


def _take(folder: Path, target: Path, case: FileCase) -> None:
    """Move the files that were written for a case into the folder that its inputs came from."""
    for tensor in case.outputs:
        for file in (Path(tensor.file), Path(tensor.file).with_suffix(".npy")):
            if (folder / file).exists():
                shutil.move(folder / file, target / file)
    for note in (ERROR, UNSUPPORTED):
        if (folder / case.name / note).exists():
            shutil.move(folder / case.name / note, target / case.name / note)


def read_end(folder: Path, name: str) -> CommandEnd | None:
    """Return the failure of the command on this case alone; None if it did not fail."""
    try:
        return msgspec.json.decode(read_foreign(folder / name / ENDED, _TAIL << 4), type=CommandEnd)
    except (OSError, *MALFORMED):
        return None
