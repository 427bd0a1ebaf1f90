"""Numbers of a case that passes: a digest of its outputs, the shares of tolerances and bounds used, and quality.

:mod:`nnvet.conformance.kit.judging` notes them in the :class:`NumberRecorder` of the present case. The engine opens it
with :func:`recording` around each case, and adds the numbers to the outcome (:func:`grade_outcome`). A case that judges
in threads of its own notes nothing, because the order of threads would make the numbers vary. Liberties are deviations
from strict arithmetic that a driver may declare, and positions are stated ways to compute; docs/oracle.md lists both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final

import numpy.typing as npt

from nnvet.conformance.kit.outcome import Outcome, fail
from nnvet.graphs.model import TestModel
from nnvet.reports.events import Numbers, Verdict

BOUND_RULE: Final = "execution/output.bound"
"""Rule of quality, which an answer breaks that keeps the contract but crosses the error bound of its operations."""
_DIGEST_BYTES: Final = 8
"""Bytes of a digest of outputs: enough to tell the answers of one case apart."""
_DIGITS: Final = ".4g"
"""Format of shares in the log."""


@dataclass(frozen=True)
class QualityNote:
    """A note on an answer that keeps the contract but crosses the error bound, with the evidence."""

    reason: str
    evidence: Mapping[str, Any]


@dataclass
class NumberRecorder:
    """Collects the numbers of one case. ``seen`` has the digests of its answers, in order, each once.

    ``liberties`` are those that the driver declares (docs/oracle.md), ``needed`` those that its answers really need.
    """

    liberties: tuple[str, ...] = ()
    needed: dict[str, None] = field(default_factory=dict)
    seen: dict[bytes, None] = field(default_factory=dict)
    tolerance_used: float | None = None
    bound_used: float | None = None
    note: QualityNote | None = None
    positions: dict[str, dict[str, float | None]] = field(default_factory=dict)

    def outputs(self, test: TestModel, arrays: Sequence[npt.NDArray[Any]]) -> None:
        """Note an answer: shapes and bits of all outputs in order, without ignored ones."""
        digest = blake2b(digest_size=_DIGEST_BYTES)
        for operand, array in zip(test.main.outputs, arrays, strict=False):
            if not operand.is_ignored:
                digest.update(f"{array.dtype.str}{tuple(operand.dimensions)}".encode())
                digest.update(array.tobytes())
        self.seen[digest.digest()] = None

    def uses(self, *, tolerance: float | None = None, bound: float | None = None) -> None:
        """Note the shares of the tolerance and of the bound that an output uses; None: it has none."""
        self.tolerance_used = _choose_larger(self.tolerance_used, tolerance)
        self.bound_used = _choose_larger(self.bound_used, bound)

    def keeps(self, name: str, shares: Mapping[str, float | None]) -> None:
        """Note the shares of stated numeric positions' limits that an output of an operation and type uses."""
        known = self.positions.setdefault(name, {})
        for position, share in shares.items():
            known[position] = _choose_larger(known.get(position), _round_share(share))

    def needs(self, liberties: Iterable[str]) -> None:
        """Note that an answer is within its error bound because of declared liberties."""
        self.needed.update(dict.fromkeys(liberties))

    def quality(self, reason: str, **evidence: Any) -> None:
        """Note that an error bound is crossed; the first note of a case stays."""
        self.note = self.note or QualityNote(reason, evidence)

    @property
    def numbers(self) -> Numbers | None:
        """Return all numbers; None: no outputs were noted."""
        if not self.seen:
            return None
        # A single answer has its own digest. Several answers count once each, however often they were given.
        whole = next(iter(self.seen)) if len(self.seen) == 1 else blake2b(b"".join(self.seen), digest_size=8).digest()
        quality = self.note.reason if self.note else ""
        return Numbers(whole.hex(), _round_share(self.tolerance_used), _round_share(self.bound_used), quality)


_current: ContextVar[NumberRecorder | None] = ContextVar("numbers of the case", default=None)
"""Recorder of the present case; each thread has its own, so threads of a case have none."""


def recorder() -> NumberRecorder | None:
    """Return the recorder of the present case; None if no numbers are wanted."""
    return _current.get()


def is_right_as_declared(is_right: Callable[[Sequence[str]], bool]) -> bool:
    """Return True if an answer that crosses its bound is right with the declared liberties, and note the ones it needs.

    ``is_right`` judges the answer with some liberties, given by their ids. If no single one suffices, all count as
    needed.
    """
    if (numbers := recorder()) is None:
        return False
    declared = numbers.liberties
    needed: Sequence[str] = [name for name in declared if is_right([name])]
    if not needed and len(declared) > 1 and is_right(declared):
        needed = declared
    numbers.needs(needed)
    return bool(needed)


def note_outputs(test: TestModel, arrays: Sequence[npt.NDArray[Any]]) -> None:
    """Note an answer of the present case."""
    if (current := _current.get()) is not None:
        current.outputs(test, arrays)


@contextmanager
def recording(liberties: tuple[str, ...] = ()) -> Iterator[NumberRecorder]:
    """Collect the numbers of everything that is judged in the block, on a driver that declares ``liberties``."""
    found = NumberRecorder(liberties)
    token = _current.set(found)
    try:
        yield found
    finally:
        _current.reset(token)


def grade_outcome(outcome: Outcome, found: NumberRecorder, *, strict: bool) -> Outcome:
    """Return a PASS with its numbers, and with a note if a bound is crossed; with ``strict`` that is a FAIL.

    A failure only gets the numeric positions that its answer keeps, as evidence.
    """
    if found.positions and outcome.verdict in (Verdict.PASS, Verdict.FAIL):
        outcome = replace(outcome, evidence={**outcome.evidence, "positions": found.positions})
    if outcome.verdict is not Verdict.PASS:
        return outcome
    if found.needed:
        outcome = replace(outcome, evidence={**outcome.evidence, "needs": list(found.needed)})
    if found.note is None:
        return replace(outcome, numbers=found.numbers)
    if strict:
        positions = {"positions": found.positions} if found.positions else {}
        return fail(BOUND_RULE, found.note.reason, **found.note.evidence, **positions).outcome
    quality = {"rule": BOUND_RULE, "reason": found.note.reason, **found.note.evidence}
    return replace(outcome, numbers=found.numbers, evidence={**outcome.evidence, "quality": quality})


def _choose_larger(value: float | None, other: float | None) -> float | None:
    """Return the larger of two numbers that may be missing."""
    return other if value is None else value if other is None else max(value, other)


def _round_share(share: float | None) -> float | None:
    """Return a share with four digits; a huge one is capped, because JSON has no infinity."""
    return None if share is None else float(format(min(share, 1e300), _DIGITS))
