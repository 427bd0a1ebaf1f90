"""One slice of a fuzzing job: one harness is fuzzed for some seconds, in one process after the other.

libFuzzer's process (:mod:`nnvet.fuzz.child`) ends with the first input that kills or hangs it; the slice turns that
input into a finding, and starts the next process. The slice also parses the lines that the process prints. A job
(:mod:`nnvet.fuzz.runner`) runs slices in turn.
"""

from __future__ import annotations

import hashlib
import re
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.diagnostics.native_faults import find_fault
from nnvet.fuzz.child import IDLE, INSTRUMENTED
from nnvet.fuzz.corpus_files import dictionary_file, seeds_folder
from nnvet.fuzz.findings import ChildConfig, FindingKind, FuzzFinding, save
from nnvet.fuzz.forking import Forker, ForkOrder
from nnvet.fuzz.harness import Harness
from nnvet.fuzz.native_edges import NATIVE_EDGES, memory_with_sanitizer
from nnvet.fuzz.replaying import finding_in_process
from nnvet.fuzz.target import finding_of_fault

_STATUS: Final = re.compile(r"#(?P<executions>\d+)\s+(?P<event>[A-Za-z]+)\s+(?P<rest>.*)")
"""Line that libFuzzer prints while it fuzzes."""
_COVERAGE: Final = re.compile(r"\bcov: (\d+)")
_CORPUS: Final = re.compile(r"\bcorp: (\d+)/")
_ARTIFACTS: Final = {
    "crash": FindingKind.DEATH,
    "leak": FindingKind.LEAK,
    "oom": FindingKind.MEMORY,
    "timeout": FindingKind.HANG,
}
"""Prefixes of the files in which libFuzzer leaves the input that ended a process."""
_TAIL: Final = 600
"""Number of last lines of a process that are kept; the report of a sanitizer has two hundred."""
_DIGITS: Final = 8
_FRUITLESS: Final = 3
"""Most processes in a row that may end early without an input to blame."""
_GRACE_S: Final = 30.0
"""Seconds that a process may take beyond its time before it is killed."""
_NOT_INSTRUMENTED: Final = "Is the code instrumented for coverage?"
"""Part of the line in which libFuzzer complains that it sees no counters."""


class Status(NamedTuple):
    """Progress of a process: inputs executed since it began, coverage in counters, inputs in its corpus."""

    executions: int
    coverage: int
    corpus: int


class Slice:
    """Fuzzes one harness; ``watch`` is called with every status, and the seconds since the slice began."""

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
        """Prepare a slice, without starting a process; new inputs go to ``corpus``, everything else to ``out``.

        ``seed`` is the seed of the first process, and each further process has the next; 0: seeds are random.
        """
        self._harness, self._config = harness, config
        self._corpus, self._out = corpus / harness.name, out
        self._findings = Path(config.findings)
        self._dictionary = dictionary_file(harness, out / "dictionaries")
        known = [seeds_folder(harness), *([] if regressions is None else [regressions / harness.name])]
        self._seeds = [folder for folder in known if folder.is_dir()]
        self._watch = watch
        self._forker = forker
        self._seed = seed
        self._is_stopped = threading.Event()
        self.executions = 0
        self.native_edges = 0
        self.problem = ""
        self.idle = ""

    def run(self, seconds: float) -> None:
        """Fuzz for ``seconds``; an input that ends a process becomes a finding, and another process goes on."""
        for folder in (self._corpus, self._out):
            folder.mkdir(parents=True, exist_ok=True)
        # Slices of other threads and jobs may wait for children at the same time.
        with tempfile.TemporaryDirectory(prefix=f"ended-{self._harness.name}-", dir=self._out) as artifacts:
            self._fuzz(seconds, Path(artifacts))

    def _fuzz(self, seconds: float, artifacts: Path) -> None:
        begin, fruitless = time.monotonic(), 0
        while not self._is_stopped.is_set() and (left := seconds - (time.monotonic() - begin)) >= 1:
            code, output = self._run_once(int(left), begin, artifacts)
            is_over = code == 0 or self._is_stopped.is_set()
            found = sum(self._record(file, output) for file in _ended_with(artifacts))
            if is_over:
                if not self.idle:
                    self._check_instrumented(output)
                return
            fruitless = 0 if found else fruitless + 1
            if fruitless == _FRUITLESS:
                self.problem = self.problem or f"{self._harness.name}: processes end with {code}: {_last_words(output)}"
                return

    def stop(self) -> None:
        """Make the slice end soon; all findings stay."""
        self._is_stopped.set()
        self._forker.stop()

    def _run_once(self, seconds: int, begin: float, artifacts: Path) -> tuple[int, list[str]]:
        lines: deque[str] = deque(maxlen=_TAIL)
        order = ForkOrder(self._config, self._arguments(seconds, artifacts), str(artifacts))
        self._seed += bool(self._seed)
        marked: list[str] = []
        before = self.executions
        killer = threading.Timer(seconds + _GRACE_S + self._config.timeout_s, self._forker.end, (signal.SIGKILL,))
        killer.start()
        try:
            for line in self._forker.run(order):
                lines.append(line.rstrip())
                self.native_edges = max(self.native_edges, native_edges_of(line))
                status = status_of(line)
                if status is not None:
                    self.executions = before + status.executions
                    self._watch(time.monotonic() - begin, status)
                elif line.startswith(IDLE):
                    self.idle = line.removeprefix(IDLE).strip()
                elif line.startswith(INSTRUMENTED) or _NOT_INSTRUMENTED in line:
                    marked.append(line.rstrip())
        finally:
            killer.cancel()
        return self._forker.code, [*marked, *lines]

    def _arguments(self, seconds: int, artifacts: Path) -> tuple[str, ...]:
        config = self._config
        arguments = [
            f"-seed={self._seed}",
            f"-max_total_time={seconds}",
            f"-timeout={max(1, round(config.timeout_s))}",
            f"-rss_limit_mb={memory_with_sanitizer(config.memory_mib, in_process=config.in_process)}",
            f"-max_len={self._harness.max_len}",
            f"-artifact_prefix={artifacts}/",
            "-report_slow_units=100000",
            "-use_value_profile=0",
            # The mutators choose lengths and numbers of changes; libFuzzer's own schedule for them is switched off.
            "-mutate_depth=2",
            "-len_control=0",
            "-entropic_scale_per_exec_time=1",
        ]
        if self._dictionary is not None:
            arguments.append(f"-dict={self._dictionary}")
        folders = [self._corpus, *self._seeds]
        return (*arguments, *map(str, folders))

    def _record(self, file: Path, output: list[str]) -> bool:
        """Save the finding of an input that ended a process; return True if there is one."""
        kind = _ARTIFACTS[file.name.partition("-")[0]]
        data = file.read_bytes()
        finding = finding_in_process(self._config, file)
        file.unlink()
        if finding is None and kind in (FindingKind.HANG, FindingKind.MEMORY):
            # A busy machine, or memory that many inputs have filled, is no fault of this input.
            return True
        save(
            self._findings,
            self._harness.name,
            self._config.driver,
            finding or self._unrepeated(kind, data, output),
            data,
        )
        return True

    def _unrepeated(self, kind: FindingKind, data: bytes, output: list[str]) -> FuzzFinding:
        """Return the finding of a process whose end its input alone does not repeat, from the last lines of its output.

        A driver in a service is not part of that process, so the fault is the suite's.
        """
        printed = "\n".join(output)
        fault = find_fault(printed)
        message = f"the process ends, but not when the input is run again alone: {_last_words(output)}"
        rule = "driver/crash" if self._config.in_process else ""
        if fault is not None and fault.places:
            return finding_of_fault(fault, rule, message, {"output": printed})
        digest = hashlib.sha256(data).hexdigest()[:_DIGITS]
        return FuzzFinding(kind, rule, message, {"output": printed}, f"not reproduced {digest}")

    def _check_instrumented(self, output: list[str]) -> None:
        counts = next((line for line in output if line.startswith(INSTRUMENTED)), "")
        if any(_NOT_INSTRUMENTED in line for line in output) or counts.startswith(f"{INSTRUMENTED} 0"):
            self.problem = f"{self._harness.name}: coverage does not grow: nothing is instrumented"


def _ended_with(artifacts: Path) -> list[Path]:
    """Return the inputs that ended processes."""
    return [file for file in sorted(artifacts.iterdir()) if file.name.partition("-")[0] in _ARTIFACTS]


def _last_words(output: list[str]) -> str:
    fault = find_fault("\n".join(output))
    return str(fault or next((line for line in reversed(output) if line.strip()), "nothing printed"))


def status_of(line: str) -> Status | None:
    """Return the status in a line of libFuzzer's output; None: the line has no status."""
    match = _STATUS.match(line)
    if match is None:
        return None
    coverage, corpus = (pattern.search(match["rest"]) for pattern in (_COVERAGE, _CORPUS))
    return Status(int(match["executions"]), int(coverage[1]) if coverage else 0, int(corpus[1]) if corpus else 0)


def native_edges_of(line: str) -> int:
    """Return the number of counted edges of native code in a line; 0: the line is another one."""
    return int(line.removeprefix(NATIVE_EDGES)) if line.startswith(NATIVE_EDGES) else 0
