"""Fingerprints of faults: a short stable hash, by which reports count many failing cases as one fault.

Everything that counts or names faults (reports, histories, waivers, saved failures) uses these functions. A fingerprint
depends on the nature of a fault (verdict, rule, operations and the shape of the evidence), and on nothing that differs
from case to case: no case id, index, value, address or process number.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.values import printable

AS_IF: Final = "all elements are as if "
"""Beginning of a ``looks_like`` that names what was computed instead of the model."""
FRAMES: Final = "frames"
"""Key of the top frames of a fault in native code; frames and kind alone identify such a fault."""

PLACES: Final = ("raised", "place")
"""Keys of the place in the driver where it failed. Results with the same place count as one fault."""

NAMED: Final = ("fault", "status", "driver_rule", "signal")
"""Keys whose texts are names from a fixed set, and so part of the fingerprint."""

APART: Final = (
    "sentence",
    "broken_rule",
    "replay",
    "vector",
    "waiver",
    "waived",
    "timings",
    "stderr_tail",
    "exit_code",
    "again",
    "alone",
    "suspects",
    "culprit",
    "failed_before",
    "covers",
    "graph",
    "looks_like",
    "picture",
    "advice",
)
"""Keys of the evidence that are not part of the fingerprint, because they are redundant or vary between runs."""

OF_ALL_OPERATIONS: Final = frozenset({"prepare/coupling"})
"""Rules whose breach has one cause in the driver, for all operations together."""

_BYTES: Final = 6
"""Size of a fingerprint, which is written as twice as many digits."""
_NUMBERS: Final = re.compile(r"0x[0-9a-fA-F]+|[-+]?(?:\d[\d.,]*)(?:[eE][-+]?\d+)?|\b(?:nan|inf)\b")
"""Numbers inside a text, which differ from case to case."""
_LISTS: Final = re.compile(r"#(?:[,\s]+#)+")
"""Lists of replaced numbers, whose length differs from case to case."""


def fingerprint(result: CaseFinished) -> str:
    """Return twelve hexadecimal digits, equal for equal faults, waived or not; empty for a PASS.

    A fault without a rule is identified by its reason without numbers and the case's id; an exception or a crash by its
    place in the driver; a fault in native code by its kind and its top frames. A breach of a rule in
    :data:`OF_ALL_OPERATIONS` is one fault.
    """
    if result.verdict is Verdict.PASS:
        return ""
    verdict = result.evidence.get("waived", result.verdict)
    if frames := result.evidence.get(FRAMES):
        kind = result.evidence.get("fault") or result.evidence.get("signal")
        return _digest([str(kind), [printable(str(frame)) for frame in frames]])
    places = [printable(str(result.evidence[key])) for key in PLACES if result.evidence.get(key)]
    if places:
        return _digest([verdict, result.evidence.get("signal"), places])
    operations = [] if result.rule in OF_ALL_OPERATIONS else sorted(set(result.operations))
    cause = [result.rule, operations] if result.rule else [_blur(result.reason, result.case), []]
    evidence = {key: value for key, value in result.evidence.items() if key not in APART}
    names = [[key, printable(str(evidence[key]))] for key in NAMED if key in evidence]
    essence = [verdict, *cause, names, _shape(evidence)]
    return _digest(essence)


def _digest(essence: list[Any]) -> str:
    return hashlib.blake2s(msgspec.json.encode(essence), digest_size=_BYTES).hexdigest()


@dataclass(frozen=True)
class Fold:
    """Results with one fingerprint, in the order of the log."""

    fingerprint: str
    results: tuple[CaseFinished, ...]

    @property
    def example(self) -> CaseFinished:
        """Return the result that stands for all where only one is shown: the one whose error is described best."""
        return most_telling(self.results)[0]

    @property
    def count(self) -> int:
        """Return the number of results with this fingerprint."""
        return len(self.results)


def most_telling(results: Iterable[CaseFinished]) -> list[CaseFinished]:
    """Return the results in order, but those first whose error is described best, see :func:`telling_ranks`."""
    members = list(results)
    ranks = telling_ranks([result.evidence for result in members])
    return [members[place] for place in sorted(range(len(members)), key=ranks.__getitem__)]


def telling_ranks(evidence: Sequence[Mapping[str, Any]]) -> list[tuple[bool, bool, int]]:
    """Return a rank for each failure of one fault by its evidence; the lowest explains the fault best.

    Descriptions of what was computed come first, then other descriptions of the error. Among these, the most frequent
    comes first, because a few failures of a fault may look different: float16 sums overflow where operands are large.
    """
    looks = [str(details.get("looks_like", "")) for details in evidence]
    counts = Counter(map(_blur, looks))
    return [(not look.startswith(AS_IF), not look, -counts[_blur(look)]) for look in looks]


def fold(results: Iterable[CaseFinished]) -> list[Fold]:
    """Return an entry for each fault, those with most cases first, then in the order of the log."""
    folds: defaultdict[str, list[CaseFinished]] = defaultdict(list)
    for result in results:
        folds[key_of(result)].append(result)
    entries = [Fold(key, tuple(members)) for key, members in folds.items()]
    return sorted(entries, key=lambda entry: -entry.count)


def key_of(result: CaseFinished) -> str:
    """Return the fingerprint that the log holds; made anew for logs that hold none."""
    return result.fingerprint or fingerprint(result)


def _shape(value: Any) -> Any:
    """Return the keys and the kinds of values; a list has the kinds of its elements, whatever its length."""
    if isinstance(value, Mapping):
        return sorted([_blur(str(key)), _shape(item)] for key, item in value.items())
    if isinstance(value, list | tuple):
        shapes = {msgspec.json.encode(_shape(item)).decode() for item in value}
        return ["list", *sorted(shapes)]
    if isinstance(value, bool | None):
        return str(value)
    return "number" if isinstance(value, int | float) else "text"


def _blur(text: str, case: str = "") -> str:
    """Return ``text`` without the case's id, and with ``#`` for each number or list of numbers."""
    plain = printable(text.replace(case, "CASE") if case else text)
    return _LISTS.sub("#", _NUMBERS.sub("#", plain))
