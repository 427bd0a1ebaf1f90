"""Harnesses: the driver or reader that one opens, and its treatment of the bytes of one input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, NamedTuple

from nnvet.conformance.engine.subject import Target
from nnvet.generators.graphs.model import TestModel

OneInput = Callable[[bytes], None]
"""Does whatever an input asks for; raises :class:`nnvet.fuzz.findings.FuzzFinding` for what it finds.

Bytes of which nothing can be made are ignored. Any other exception is a finding, too: a fault of the suite.
"""

Mutator = Callable[[bytes, int, int], bytes | None]
"""Another input made of one, given its bytes, how many it may have, and a seed; None: its bytes are changed."""

Crossover = Callable[[bytes, bytes, int, int], bytes | None]
"""An input made of two, given both, how many bytes it may have, and a seed; None: their bytes are joined."""


class NothingToFuzzError(Exception):
    """The driver has nothing that a harness could ask; the text says what it lacks. Raised where a harness opens it."""


class Seed(NamedTuple):
    """An input to begin with; ``name`` says where it comes from, and is fit for a file's name."""

    name: str
    data: bytes


def none_smaller(_: bytes) -> Iterator[bytes]:
    """No smaller inputs but those with fewer bytes."""
    return iter(())


def no_words() -> Iterator[bytes]:
    """No dictionary."""
    return iter(())


_MAX_LEN: Final = 4096


@dataclass(frozen=True)
class Harness:
    """``opens`` a driver, or whatever is tested, and gives what is done with an input for as long as the block runs.

    ``seeds`` are all known inputs to begin with; the corpus in the repository are those that together cover as much.
    ``instrumented`` are packages or modules whose coverage guides the fuzzer, besides the driver's. ``compares``: what
    code compares with parts of an input is put into others; that takes time, and is of use where inputs are bytes of a
    format. ``words`` are byte sequences that mean something (a dictionary). ``max_len`` bounds inputs, in bytes.
    ``test_of`` is the valid model that an input stands for, which a finding is reduced from; None: it stands for none.
    ``smaller`` are inputs worth trying instead of one that found something. ``share`` is the part of a job's time that
    the harness has, compared with the others.
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
