"""The interface of a harness, which opens a driver or reader and runs the bytes of an input on it.

:data:`HARNESSES` has all harnesses by name; the runner of jobs and the child processes look them up there. To add a
harness, write a module with a :class:`Harness` and list it in ``_MODULES``; it is imported when it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from nnvet.conformance.engine.again import LINKS_TRIED
from nnvet.conformance.engine.target import Target
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.graphs.model import TestModel

OneInput = Callable[[bytes], None]
"""Function that runs an input; raises :class:`nnvet.fuzz.findings.FuzzFinding` if the driver misbehaves.

The function ignores bytes that mean nothing. Any other exception is a finding, too: a fault of the suite.
"""

Mutator = Callable[[bytes, int, int], bytes | None]
"""Function that changes an input, given its bytes, their largest number and a seed; None: libFuzzer changes bytes."""

Crossover = Callable[[bytes, bytes, int, int], bytes | None]
"""Function that joins two inputs, given both, the largest number of bytes and a seed; None: bytes are joined."""


class NothingToFuzzError(Exception):
    """Raised while a harness opens a driver that lacks what the harness tests, as the text says."""


class CutOffError(Exception):
    """Raised if the connection to the driver was lost while an input ran; the driver has been reached again since.

    The text says how. This is no fault of the driver, so the input is run again.
    """


class Seed(NamedTuple):
    """An input to begin with; ``name`` says where it comes from, and can serve as the name of a file."""

    name: str
    data: bytes


def none_smaller(_: bytes) -> Iterator[bytes]:
    """Yield nothing: for inputs that only get smaller by having fewer bytes."""
    return iter(())


def no_words() -> Iterator[bytes]:
    """Return no words: for harnesses without a dictionary."""
    return iter(())


_MAX_LEN: Final = 4096
"""Largest size of an input in bytes, for harnesses that state no other."""


@dataclass(frozen=True)
class Harness:
    """A harness; ``opens`` is a context manager that opens the driver or reader and yields the :data:`OneInput`.

    ``seeds`` returns all known inputs to begin with; the corpus in the repository is a selection with the same
    coverage. ``instrumented`` are packages or modules whose coverage guides the fuzzer, besides the driver's.
    ``compares``: libFuzzer also sees the operands of comparisons and puts them into inputs; that takes time, and helps
    where inputs are bytes of a format. ``words`` returns byte sequences that mean something (a dictionary). ``max_len``
    is the maximal size of an input in bytes. ``test_of`` returns the valid model that an input stands for, from which a
    finding is reduced; None: it stands for none. ``smaller`` yields simpler inputs to try in place of one that found
    something. ``share`` is the harness's part of a job's time, relative to the others.
    """

    name: str
    summary: str
    opens: Callable[[Target], AbstractContextManager[OneInput]]
    seeds: Callable[[], Iterable[Seed]]
    instrumented: tuple[str, ...] = ()
    compares: bool = False
    mutator: Mutator | None = None
    crossover: Crossover | None = None
    words: Callable[[], Iterable[bytes]] = no_words
    test_of: Callable[[bytes], TestModel | None] = lambda _: None
    smaller: Callable[[bytes], Iterator[bytes]] = none_smaller
    max_len: int = _MAX_LEN
    share: int = 2

    @contextmanager
    def open(self, target: Target) -> Iterator[OneInput]:
        """Open the driver or reader; an input during which the connection to the driver is lost is run again.

        Raises as ``opens`` does.
        """
        with self.opens(target) as one_input:
            yield partial(_run_until_heard, one_input)


def _run_until_heard(one_input: OneInput, data: bytes) -> None:
    for left in reversed(range(LINKS_TRIED)):
        try:
            one_input(data)
        except CutOffError as lost:
            if not left:
                # No rule is broken. The input is worth keeping, since an agent may die of it.
                message = f"the way to the driver was lost in each of {LINKS_TRIED} runs of an input: {lost}"
                raise FuzzFinding(FindingKind.CUT_OFF, "", message) from lost
        else:
            return


_MODULES: Final = {
    "model": "nnvet.fuzz.model.harness:MODEL",
    "differential": "nnvet.fuzz.differential:DIFFERENTIAL",
    "request": "nnvet.fuzz.request:REQUEST",
    "burst": "nnvet.fuzz.sessions.burst:BURST",
    "cache": "nnvet.fuzz.sessions.cache:CACHE",
    "frames": "nnvet.fuzz.sessions.frames:FRAMES",
    "tflite": "nnvet.fuzz.readers.tables:TFLITE",
    "specs": "nnvet.fuzz.readers.specs:SPECS",
    "calls": "nnvet.fuzz.calls.harness:CALLS",
    "library": "nnvet.fuzz.calls.library:LIBRARY",
}
"""Module and name of each harness, written as :data:`nnvet.adapters.selector.KINDS` names those of drivers."""


class _Harnesses(Mapping[str, "Harness"]):
    """Imports the module of a harness when it is asked for.

    The names alone cost nothing, and a child process loads one harness: code that is loaded before libFuzzer's
    instrumentation begins gives no coverage.
    """

    def __getitem__(self, name: str) -> Harness:
        module, _, attribute = _MODULES[name].partition(":")
        found: Harness = getattr(importlib.import_module(module), attribute)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


HARNESSES: Final[Mapping[str, Harness]] = _Harnesses()
