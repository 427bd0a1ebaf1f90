"""Messages to and from a worker of a cluster: inputs by the SHA-256 of their bytes, findings with theirs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

from nnvet.conformance.cluster.chunk import Fate
from nnvet.fuzz.findings import SavedFinding


def name_of(data: bytes) -> str:
    """Return the name of an input on all machines."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class SliceTask:
    """A harness to be fuzzed for some ``seconds`` from the inputs that are ``known``; 0: they are merged alone.

    ``fresh`` are those of the known ones that nobody has seen together with all others: what they add is judged first.
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
    """A worker's answer about a slice; ``reason`` is why there is nothing more to say.

    ``redundant`` are fresh inputs that add nothing, and ``union`` are the counters that the known ones reach together,
    0 where that was not asked. ``curve`` and ``executions`` are as in :class:`nnvet.fuzz.runner.HarnessProgress`.
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

    These are by their paths in the folder of results, as is ``spec``; None: it was not reduced.
    """

    data: bytes
    files: dict[str, bytes] = field(default_factory=dict)
    spec: str | None = None
