"""One slice of a fuzzing job: a harness fuzzed for some seconds, by one process after the other."""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from nnvet.fuzz.child import INSTRUMENTED
from nnvet.fuzz.configuration import ChildConfig
from nnvet.fuzz.corpus_files import dictionary_file, seeds_folder
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.forking import Forker, ForkOrder
from nnvet.fuzz.harness import Harness
from nnvet.fuzz.progress_lines import Status, status_of
from nnvet.fuzz.replaying import finding_in_process
from nnvet.fuzz.saved import save

_ARTIFACTS: Final = {
    "crash": FindingKind.DEATH,
    "leak": FindingKind.LEAK,
    "oom": FindingKind.MEMORY,
    "timeout": FindingKind.HANG,
}
"""What libFuzzer calls the input that a process ended with."""
_TAIL: Final = 200
_FRUITLESS: Final = 3
"""Processes in a row that may end early without an input to blame."""
_GRACE_S: Final = 30.0
_NOT_INSTRUMENTED: Final = "Is the code instrumented for coverage?"


class Slice:
    """A harness that is fuzzed. ``watch`` gets every status, with the seconds since the slice began."""

    def __init__(
        self,
        harness: Harness,
        config: ChildConfig,
        corpus: Path,
        out: Path,
        forker: Forker,
        watch: Callable[[float, Status], None] = lambda _seconds, _status: None,
        regressions: Path | None = None,
        seed: int = 0,
    ) -> None:
        """Nothing is started yet; inputs that are worth keeping go to ``corpus``, all else to ``out``.

        ``seed`` is that of the first process, and each further one has the next; 0: chance decides.
        """
        self._harness, self._config = harness, config
        self._corpus, self._artifacts = corpus / harness.name, out / "artifacts" / harness.name
        self._findings = Path(config.findings)
        self._dictionary = dictionary_file(harness, out / "dictionaries")
        known = [seeds_folder(harness), *([] if regressions is None else [regressions / harness.name])]
        self._seeds = [folder for folder in known if folder.is_dir()]
        self._watch = watch
        self._forker = forker
        self._seed = seed
        self._is_stopped = threading.Event()
        self.executions = 0
        self.problem = ""

    def run(self, seconds: float) -> None:
        """Fuzz for so long; what ends a process becomes a finding, and another process goes on."""
        for folder in (self._corpus, self._artifacts):
            folder.mkdir(parents=True, exist_ok=True)
        begin, fruitless = time.monotonic(), 0
        while not self._is_stopped.is_set() and (left := seconds - (time.monotonic() - begin)) >= 1:
            code, output = self._run_once(int(left), begin)
            is_over = code == 0 or self._is_stopped.is_set()
            found = sum(self._record(file) for file in self._new_artifacts())
            if is_over:
                self._check_instrumented(output)
                return
            fruitless = 0 if found else fruitless + 1
            if fruitless == _FRUITLESS:
                self.problem = self.problem or f"{self._harness.name}: processes end with {code}: {_last(output)}"
                return

    def stop(self) -> None:
        """End soon; everything that was found stays."""
        self._is_stopped.set()
        self._forker.stop()

    def _run_once(self, seconds: int, begin: float) -> tuple[int, list[str]]:
        lines: deque[str] = deque(maxlen=_TAIL)
        order = ForkOrder(self._config, self._arguments(seconds))
        self._seed += bool(self._seed)
        marked: list[str] = []
        before = self.executions
        killer = threading.Timer(seconds + _GRACE_S + self._config.timeout_s, self._forker.end, (signal.SIGKILL,))
        killer.start()
        try:
            for line in self._forker.run(order):
                lines.append(line.rstrip())
                status = status_of(line)
                if status is not None:
                    self.executions = before + status.executions
                    self._watch(time.monotonic() - begin, status)
                elif line.startswith(INSTRUMENTED) or _NOT_INSTRUMENTED in line:
                    marked.append(line.rstrip())
        finally:
            killer.cancel()
        return self._forker.code, [*marked, *lines]

    def _arguments(self, seconds: int) -> tuple[str, ...]:
        config = self._config
        arguments = [
            f"-seed={self._seed}",
            f"-max_total_time={seconds}",
            f"-timeout={max(1, round(config.timeout_s))}",
            f"-rss_limit_mb={config.memory_mib}",
            f"-max_len={self._harness.max_len}",
            f"-artifact_prefix={self._artifacts}/",
            "-report_slow_units=100000",
            "-use_value_profile=0",
            # Lengths and numbers of changes are the mutators' business; slow inputs are changed less often.
            "-mutate_depth=2",
            "-len_control=0",
            "-entropic_scale_per_exec_time=1",
        ]
        if self._dictionary is not None:
            arguments.append(f"-dict={self._dictionary}")
        folders = [self._corpus, *self._seeds]
        return (*arguments, *map(str, folders))

    def _new_artifacts(self) -> Iterator[Path]:
        for file in sorted(self._artifacts.iterdir()):
            if file.name.partition("-")[0] in _ARTIFACTS:
                yield file

    def _record(self, file: Path) -> bool:
        """Write the finding of an input that a process ended with; whether there is one."""
        kind = _ARTIFACTS[file.name.partition("-")[0]]
        data = file.read_bytes()
        finding = finding_in_process(self._config, file)
        file.unlink()
        if finding is None and kind in (FindingKind.HANG, FindingKind.MEMORY):
            # A machine that is busy, or memory that many inputs have filled, says nothing of this one.
            return True
        if finding is None:
            message = "the process ends, but not when the input is run again alone"
            finding = FuzzFinding(kind, "driver/crash", message, place="not reproduced")
        save(self._findings, self._harness.name, self._config.driver, finding, data)
        return True

    def _check_instrumented(self, output: list[str]) -> None:
        counts = next((line for line in output if line.startswith(INSTRUMENTED)), "")
        if any(_NOT_INSTRUMENTED in line for line in output) or counts.startswith(f"{INSTRUMENTED} 0"):
            self.problem = f"{self._harness.name}: coverage does not grow: nothing is instrumented"


def _last(output: list[str]) -> str:
    return next((line for line in reversed(output) if line.strip()), "nothing printed")
