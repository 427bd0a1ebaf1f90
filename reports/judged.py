"""Extent of a judgement: a verdict on 14 operations is not one on all."""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Final

from nnvet.hal.enums import FeatureLevel
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, TypeRow
from nnvet.reports.events import DRIVER_FAULTS, OR_CPU, RunStarted, Verdict
from nnvet.reports.html.matrix import SEVERAL, row_of
from nnvet.reports.log import Log
from nnvet.reports.mined import MinedRates, mined_rates

_JUDGED: Final = (Verdict.PASS, *DRIVER_FAULTS)


@dataclass(frozen=True)
class Extent:
    """Extent of a run's judgement. Of the ``operations`` at the run's level some are ``right``, some ``faulty``.

    ``complete`` ones were judged in all types that the level has. Cases of several operations judge none of them.
    ``operations`` is 0 for runs without any case of a single operation, such as campaigns of random graphs.
    In ``or_cpu`` cases CPU kernels may have computed in place of the accelerator that the driver stands for.
    """

    operations: int
    right: int
    faulty: int
    complete: int
    cases: int
    others: tuple[tuple[Verdict, int], ...]
    mined: MinedRates | None = None
    or_cpu: int = 0

    @property
    def unjudged(self) -> int:
        """Operations without a case for or against the driver: not claimed, not selected or not run."""
        return self.operations - self.right - self.faulty

    @property
    def sentences(self) -> tuple[str, ...]:
        """One of borrowed work, of operations and of mined fragments, where the run has any, and one of cases."""
        if self.or_cpu:
            cases = f"{self.or_cpu:,} {'case' if self.or_cpu == 1 else 'cases'}"
            return (
                f"CPU kernels may have done the driver's work in {cases}: it may fall back on them",
                *replace(self, or_cpu=0).sentences,
            )
        of_cases = f"{self.cases:,} {'case' if self.cases == 1 else 'cases'} judged"
        if self.others:
            named = ", ".join(f"{verdict.lower().replace('_', ' ')}: {count:,}" for verdict, count in self.others)
            of_cases += f", {sum(count for _, count in self.others):,} not ({named})"
        sentences = (of_cases,) if self.mined is None else (self.mined.sentence, of_cases)
        if not self.operations:
            return sentences
        judged = self.right + self.faulty
        return f"{judged} of {self.operations} operations judged, {self.complete} in all their types", *sentences


def extent_of(log: Log) -> Extent:
    """Return the extent of a run's judgement."""
    counts, verdicts = log.counts, _verdicts_by_type(log)
    known = {
        declaration.name: declaration
        for declaration in declarations().values()
        if declaration.level <= _level_of(log.started)
    }
    faulty = {name for name in known if _has(verdicts[name], DRIVER_FAULTS)}
    right = {name for name in known if _has(verdicts[name], (Verdict.PASS,))} - faulty
    complete = [name for name in faulty | right if _is_complete(known[name], verdicts[name], _level_of(log.started))]
    return Extent(
        operations=len(known) if any(verdicts.values()) else 0,
        right=len(right),
        faulty=len(faulty),
        complete=len(complete),
        cases=sum(counts[verdict] for verdict in _JUDGED),
        others=tuple((verdict, counts[verdict]) for verdict in Verdict if verdict not in _JUDGED and counts[verdict]),
        mined=mined_rates(log),
        or_cpu=sum(result.computed_by.endswith(OR_CPU) for result in log.results.values()),
    )


def kinds_of(declaration: OperationDeclaration, level: int) -> frozenset[str]:
    """Names of the types that cases of an operation are counted under at a level: of its first tensor input.

    Empty where the declaration leaves the types of inputs open, as those of WHILE.
    """
    found = (_first_tensor(declaration, row) for row in declaration.rows if row.level <= level)
    return frozenset(name for name in found if name)


def _first_tensor(declaration: OperationDeclaration, row: TypeRow) -> str:
    formals: tuple[Formal, ...] = declaration.signatures[0].inputs
    # Names that the row does not have stand for any type.
    types = [row.types.get(formal.type) if isinstance(formal.type, str) else formal.type for formal in formals]
    known = [kind for kind in types if kind in OPERAND_TYPES and OPERAND_TYPES[kind].is_tensor]
    return known[0].name if known else ""


def _verdicts_by_type(log: Log) -> defaultdict[str, dict[str, set[Verdict]]]:
    """Verdicts of the cases of each single operation, by operand type; cases without a type under no name."""
    found: defaultdict[str, dict[str, set[Verdict]]] = defaultdict(dict)
    for result in log.results.values():
        if (operation := row_of(result)) and operation != SEVERAL:
            for kind in result.operand_types or ("",):
                found[operation].setdefault(kind, set()).add(result.verdict)
    return found


def _has(by_type: dict[str, set[Verdict]], wanted: tuple[Verdict, ...]) -> bool:
    return any(not found.isdisjoint(wanted) for found in by_type.values())


def _is_complete(declaration: OperationDeclaration, by_type: dict[str, set[Verdict]], level: int) -> bool:
    judged = {kind for kind, found in by_type.items() if not found.isdisjoint(_JUDGED)}
    return kinds_of(declaration, level) <= judged


def _level_of(run: RunStarted) -> int:
    """The run's level, else the driver's, else the highest."""
    levels = (run.level, run.driver.feature_level)
    return next((level for level in levels if level is not None), int(max(FeatureLevel)))
