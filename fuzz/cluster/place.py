"""Place in which a worker of a cluster fuzzes one slice at a time: a folder, and processes that fork.

The corpus of a harness is kept on the machine of the job. Inputs are sent once and then named by the SHA-256 of their
bytes; a finding is sent with its input. ``host.py`` opens a :class:`FuzzingPlace` on each
worker. :func:`merge_inputs` runs the inner part of libFuzzer's merge in a forked process, which starts at once, and
reads from its control file which counters each input reaches.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import structs

from nnvet.conformance.cluster.chunk import Fate
from nnvet.fuzz.corpus_files import seeds_folder
from nnvet.fuzz.findings import INPUT, ChildConfig, SavedFinding, for_harness, read_saved
from nnvet.fuzz.forking import Forker, ForkOrder
from nnvet.fuzz.harness import HARNESSES, Harness
from nnvet.fuzz.slices import Slice, Status


def name_of(data: bytes) -> str:
    """Return the name of an input on all machines."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class SliceTask:
    """Order to fuzz a harness for some ``seconds``, from the inputs that are ``known``; 0 seconds: only merge them.

    ``fresh`` are known inputs that have not been run together with all others yet: the slice judges them first.
    ``kept`` were found by earlier jobs. ``inputs`` are those that the worker lacks.
    """

    harness: str
    seconds: float
    seed: int
    known: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    fresh: frozenset[str] = frozenset()
    inputs: dict[str, bytes] = field(default_factory=dict, repr=False)


class Found(NamedTuple):
    """A finding, and the input that shows it."""

    known: SavedFinding
    data: bytes


@dataclass(frozen=True)
class SliceResult:
    """A worker's answer about a slice; ``reason`` says why a slice has no result.

    ``redundant`` are fresh inputs that add nothing, and ``union`` are the counters that the known ones reach together,
    0 if that was not asked. ``curve`` and ``executions`` are as in :class:`nnvet.fuzz.runner.HarnessProgress`.
    """

    fate: Fate
    worker: str
    reason: str = ""
    executions: int = 0
    seconds: float = 0.0
    corpus: int = 0
    native_edges: int = 0
    problem: str = ""
    idle: str = ""
    curve: tuple[tuple[float, int], ...] = ()
    inputs: tuple[bytes, ...] = field(default=(), repr=False)
    found: tuple[Found, ...] = field(default=(), repr=False)
    redundant: frozenset[str] = frozenset()
    union: int = 0


@dataclass(frozen=True)
class SmallFinding:
    """A finding that was made small: its input, and the ``files`` of the model it was reduced to.

    The keys of ``files`` are paths in the folder of results. ``spec`` is such a path, too; None: nothing was reduced.
    """

    data: bytes
    files: dict[str, bytes] = field(default_factory=dict)
    spec: str | None = None


_ATTEMPTS: Final = 5
"""Maximal number of attempts at a merge; each attempt leaves out the inputs that ended the process before."""
_HEAD_LINES: Final = 2
"""Number of lines of a control file before the list of its files."""


class Merged(NamedTuple):
    """Inputs that reach nothing beyond the others, and the number of counters that all of them reach together."""

    redundant: tuple[Path, ...]
    coverage: int


def merge_inputs(
    forker: Forker, config: ChildConfig, harness: Harness, files: tuple[Sequence[Path], Sequence[Path]], control: Path
) -> Merged | None:
    """Return the files of the second group that add nothing to the first group or to shorter files of their own.

    libFuzzer writes the file ``control``. None: the inputs end too many processes, or the forker is stopped.
    """
    first, others = files
    shortest = sorted(others, key=lambda file: (file.stat().st_size, file.name))
    everything = [*first, *shortest]
    lines = [str(len(everything)), str(len(first)), *map(str, everything)]
    control.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    arguments = (
        "-merge_inner=1",
        f"-merge_control_file={control}",
        f"-timeout={max(1, round(config.timeout_s))}",
        f"-rss_limit_mb={config.memory_mib}",
        f"-max_len={harness.max_len}",
        f"-artifact_prefix={control}-",
    )
    for _ in range(_ATTEMPTS):
        for _line in forker.run(ForkOrder(config, arguments, str(control.parent))):
            pass
        if forker.code == 0:
            written = control.read_text(encoding="utf-8").splitlines()
            return _judged(written[_HEAD_LINES + len(everything) :], everything, len(first))
    return None


def _judged(lines: Sequence[str], files: Sequence[Path], known: int) -> Merged:
    """Return the result that the lines of a control file give; the first ``known`` files always stay."""
    seen: set[int] = set()
    own: dict[int, set[int]] = {}
    coverage: set[int] = set()
    for kind, number, reached in _read_reached(lines):
        if kind == "COV":
            coverage |= reached
        elif kind == "FT" and number < known:
            seen |= reached
        elif kind == "FT":
            own[number] = reached
    redundant = []
    for number in range(known, len(files)):
        new = own.get(number, set()) - seen
        seen |= new
        if not new:
            redundant.append(files[number])
    return Merged(tuple(redundant), len(coverage))


def _read_reached(lines: Sequence[str]) -> Iterator[tuple[str, int, set[int]]]:
    """Yield ``FT`` or ``COV``, the number of a file, and its features or counters; pass over all other lines."""
    for line in lines:
        kind, number, *rest = line.split()
        yield kind, int(number), set(map(int, rest)) if kind in ("FT", "COV") else set()


@dataclass(eq=False)
class FuzzingPlace:
    """A folder with two ``forkers``: by True, the one that instruments comparisons. Any thread may call ``stop``."""

    folder: Path
    config: ChildConfig
    forkers: Mapping[bool, Forker]
    is_stopped: bool = False
    _slice: Slice | None = field(default=None, repr=False)

    @classmethod
    def opened(cls, root: Path, config: ChildConfig, stack: ExitStack) -> FuzzingPlace:
        """Open a place in a folder of its own under ``root``; the stack ends its processes and removes the folder.

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
        """Make the running slice end soon; it returns its results so far."""
        self.is_stopped = True
        if self._slice is not None:
            self._slice.stop()
        for forker in self.forkers.values():
            forker.stop()

    def run(self, task: SliceTask, inputs: Path, worker: str) -> SliceResult:
        """Carry out a task whose inputs lie in the folder ``inputs``, each under its name.

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
            judged = merge_inputs(
                self.forkers[harness.compares], config, harness, (first, others), self.folder / "merge"
            )
            if judged is not None:
                redundant, union = frozenset(path.name for path in judged.redundant), judged.coverage
        for name in redundant:
            (corpus / name).unlink()
        done = self._fuzzed(harness, config, task, worker)
        new = tuple(path.read_bytes() for path in _files(corpus, task.known))
        found = tuple(
            Found(known, (folder / INPUT).read_bytes()) for known, folder in read_saved(Path(config.findings))
        )
        return replace(done, inputs=new, found=found, redundant=redundant, union=union)

    def _fuzzed(self, harness: Harness, config: ChildConfig, task: SliceTask, worker: str) -> SliceResult:
        """Run the slice itself, and return its result without the inputs and findings, which are in files."""
        curve: list[tuple[float, int]] = []
        most = 0

        def watch(elapsed: float, status: Status) -> None:
            nonlocal most
            most = max(most, status.corpus)
            if not curve or status.coverage > curve[-1][1]:
                curve.append((elapsed, status.coverage))

        folders = self.folder / "corpus", self.folder
        forker = self.forkers[harness.compares]
        part = self._slice = Slice(harness, config, *folders, forker, watch, self.folder / "regressions", task.seed)
        begin = time.monotonic()
        # A stop that came before this point did not see the slice.
        if task.seconds and not self.is_stopped:
            part.run(task.seconds)
        self._slice = None
        seconds = time.monotonic() - begin if task.seconds else 0.0
        problem = "" if self.is_stopped else part.problem
        return SliceResult(
            Fate.DONE,
            worker,
            executions=part.executions,
            seconds=seconds,
            corpus=most,
            native_edges=part.native_edges,
            problem=problem,
            idle=part.idle,
            curve=tuple(curve),
        )

    def _filled(self, what: str, harness: Harness, names: Iterable[str], inputs: Path) -> Path:
        """Make a folder of a harness that contains these inputs and no other files."""
        folder = self.folder / what / harness.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in names:
            os.link(inputs / name, folder / name)
        return folder


def _files(folder: Path, but: Iterable[str]) -> list[Path]:
    """Return the files of a folder in order, without those of some names."""
    without = frozenset(but)
    return sorted(path for path in folder.iterdir() if path.name not in without) if folder.is_dir() else []


@dataclass
class MergedCorpus:
    """The inputs of ``folder`` by name; the name of an input is the SHA-256 of its bytes.

    ``version`` grows with each new input. ``fresh`` inputs were found from an older version, so nobody knows yet
    whether they add anything to the present one.
    """

    folder: Path
    files: dict[str, Path] = field(default_factory=dict)
    version: int = 0
    fresh: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, folder: Path) -> MergedCorpus:
        """Return the corpus that earlier jobs have left in a folder.

        :raises OSError: it cannot be read.
        """
        return cls(folder, files_by_digest(folder))

    def add(self, inputs: Iterable[bytes], since: int) -> int:
        """Keep inputs that were found from the version ``since`` on, and return the number of new ones.

        :raises OSError: they cannot be written.
        """
        own = {name_of(data): data for data in inputs}
        new = own.keys() - self.files.keys()
        if not new:
            return 0
        if since != self.version:
            self.fresh |= new
        self.version += 1
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(new):
            # Writing elsewhere and renaming leaves no partial file if the job is killed.
            unfinished = self.folder / f"{name}.new"
            unfinished.write_bytes(own[name])
            self.files[name] = unfinished.replace(self.folder / name)
        return len(new)

    def leave_out(self, redundant: Iterable[str]) -> None:
        """Remove inputs that add nothing to the others."""
        for name in redundant:
            path = self.files.pop(name, None)
            if path is not None:
                path.unlink(missing_ok=True)
            self.fresh.discard(name)


def files_by_digest(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by the SHA-256 of their bytes; none if there is no such folder.

    :raises OSError: they cannot be read.
    """
    if not folder.is_dir():
        return {}
    return {name_of(path.read_bytes()): path for path in sorted(folder.iterdir()) if path.is_file()}
