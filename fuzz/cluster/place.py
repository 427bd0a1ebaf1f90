"""Place in which a worker of a cluster fuzzes: a folder, and processes that fork, for one slice at a time."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from nnvet.conformance.cluster.chunk import Fate
from nnvet.fuzz.cluster.task import Found, SliceResult, SliceTask
from nnvet.fuzz.configuration import ChildConfig, for_harness
from nnvet.fuzz.corpus_files import seeds_folder
from nnvet.fuzz.findings import INPUT, saved
from nnvet.fuzz.forking import Forker
from nnvet.fuzz.harness import Harness
from nnvet.fuzz.merging import merged
from nnvet.fuzz.progress_lines import Status
from nnvet.fuzz.registry import HARNESSES
from nnvet.fuzz.slices import Slice


@dataclass(eq=False)
class FuzzingPlace:
    """``forkers`` are those that instrument no comparisons, and those that do; ``stop`` may come from any thread."""

    folder: Path
    config: ChildConfig
    forkers: Mapping[bool, Forker]
    is_stopped: bool = False
    _slice: Slice | None = field(default=None, repr=False)

    @classmethod
    def opened(cls, root: Path, config: ChildConfig, stack: ExitStack) -> FuzzingPlace:
        """A place in a folder of its own under ``root``; the stack ends its processes, and removes the folder.

        :raises OSError: the folder cannot be made.
        """
        folder = Path(tempfile.mkdtemp(dir=root))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        own = structs.replace(config, findings=str(folder / "findings"))
        forkers = {
            compares: stack.enter_context(Forker(structs.replace(own, compares=compares))) for compares in (False, True)
        }
        return cls(folder, own, forkers)

    def stop(self) -> None:
        """Let the work here end soon, with what it has found."""
        self.is_stopped = True
        if self._slice is not None:
            self._slice.stop()
        for forker in self.forkers.values():
            forker.stop()

    def run(self, task: SliceTask, inputs: Path, worker: str) -> SliceResult:
        """Do a task whose inputs lie in the folder ``inputs`` by their names.

        :raises OSError: the disk is full, or the like.
        """
        harness = HARNESSES[task.harness]
        config = for_harness(self.config, harness.name, harness.instrumented, compares=harness.compares)
        corpus = self._filled("corpus", harness, task.known, inputs)
        kept = self._filled("regressions", harness, task.kept, inputs)
        shutil.rmtree(config.findings, ignore_errors=True)
        redundant, union = frozenset[str](), 0
        if task.fresh:
            first = [path for folder in (seeds_folder(harness), kept, corpus) for path in _files(folder, task.fresh)]
            others = [corpus / name for name in sorted(task.fresh)]
            judged = merged(self.forkers[harness.compares], config, harness, (first, others), self.folder / "merge")
            if judged is not None:
                redundant, union = frozenset(path.name for path in judged.redundant), judged.coverage
        for name in redundant:
            (corpus / name).unlink()
        done = self._fuzzed(harness, config, task, worker)
        new = tuple(path.read_bytes() for path in _files(corpus, task.known))
        found = tuple(Found(known, (folder / INPUT).read_bytes()) for known, folder in saved(Path(config.findings)))
        return replace(done, inputs=new, found=found, redundant=redundant, union=union)

    def _fuzzed(self, harness: Harness, config: ChildConfig, task: SliceTask, worker: str) -> SliceResult:
        """The slice itself; its result lacks all that lies in files."""
        curve: list[tuple[float, int]] = []
        most = 0

        def watch(elapsed: float, status: Status) -> None:
            nonlocal most
            most = max(most, status.corpus)
            if not curve or status.coverage > curve[-1][1]:
                curve.append((elapsed, status.coverage))

        folders = self.folder / "corpus", self.folder
        forker = self.forkers[harness.compares]
        one = self._slice = Slice(harness, config, *folders, forker, watch, self.folder / "regressions", task.seed)
        begin = time.monotonic()
        # Whoever stops the place before now has not seen the slice.
        if task.seconds and not self.is_stopped:
            one.run(task.seconds)
        self._slice = None
        seconds = time.monotonic() - begin if task.seconds else 0.0
        problem = "" if self.is_stopped else one.problem
        return SliceResult(
            Fate.DONE,
            worker,
            executions=one.executions,
            seconds=seconds,
            corpus=most,
            native_edges=one.native_edges,
            problem=problem,
            idle=one.idle,
            curve=tuple(curve),
        )

    def _filled(self, what: str, harness: Harness, names: Iterable[str], inputs: Path) -> Path:
        """A folder of a harness with those inputs, and nothing else."""
        folder = self.folder / what / harness.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in names:
            os.link(inputs / name, folder / name)
        return folder


def _files(folder: Path, but: Iterable[str]) -> list[Path]:
    """The files of a folder in order, without those of some names."""
    without = frozenset(but)
    return sorted(path for path in folder.iterdir() if path.name not in without) if folder.is_dir() else []
