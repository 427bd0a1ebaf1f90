"""Makes the failures of a campaign small, and logs what is left of them before the run ends."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from nnvet.commands.campaign_progress import CampaignProgress, kind_of
from nnvet.commands.options import CommandError
from nnvet.commands.reducing import reduced, replay_command
from nnvet.commands.subjects import subject_of
from nnvet.conformance.engine.keeping import FOLDER
from nnvet.conformance.engine.runner import Extra
from nnvet.conformance.engine.session import Target
from nnvet.generators.graphs.model import TestModel, operation_name
from nnvet.generators.random_graphs.named import described_operand
from nnvet.generators.specs import SpecError
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, LoggedReduction, ReducedOperation, Verdict
from nnvet.reports.log import EventLog, Log

_REDUCED: Final = 8
"""So many failures are made small, of as many kinds as there are."""
_EXECUTIONS: Final = {Verdict.HANG: 10}
"""Executions that making one small may take, where each costs a timeout."""
_MOST_EXECUTIONS: Final = 250


def failures_reduced(check: str, target: Target, out: Path, progress: CampaignProgress) -> Extra:
    """What a run does when its cases have ended: of each kind of failures of a check the smallest is made small."""

    def reduce_all(log: EventLog) -> bool:
        kinds = _kinds(log.so_far, check)
        found: dict[str, LoggedReduction] = {}
        for members in kinds[:_REDUCED]:
            first, *others = members
            progress.failure(first.case)
            small = _reduced(first, target, out, progress)
            if small is not None:
                small = _merged(found.get(small.fingerprint), small, len(others))
                found[small.fingerprint] = small
                log.reduction(small)
        if len(kinds) > _REDUCED:
            progress.print(f"{len(kinds) - _REDUCED} further kinds of failures were not made small: nnvet reduce CASE")
        return True

    return reduce_all


def _kinds(log: Log, check: str) -> list[list[CaseFinished]]:
    """Failures by kind, those with the fewest operations first."""
    kinds: dict[tuple[str, ...], list[CaseFinished]] = {}
    for one in log.results.values():
        if one.verdict in DRIVER_FAULTS and one.case.startswith(f"{check}/"):
            kinds.setdefault(kind_of(one), []).append(one)
    ordered = [sorted(members, key=_operations) for members in kinds.values()]
    return sorted(ordered, key=lambda members: _operations(members[0]))


def _operations(failure: CaseFinished) -> int:
    """How many operations a failing model has; a driver that died was not asked."""
    return len(failure.evidence.get("covers", ())) or _MOST_EXECUTIONS


def _merged(known: LoggedReduction | None, small: LoggedReduction, others: int) -> LoggedReduction:
    """One entry for all that ends at one graph."""
    if known is None:
        return replace(small, folded=others)
    return replace(known, cases=(*known.cases, *small.cases), folded=known.folded + others)


def _reduced(failure: CaseFinished, target: Target, out: Path, progress: CampaignProgress) -> LoggedReduction | None:
    """Make one failure small and keep it; None if that cannot be, for a reason that is printed."""
    subject = subject_of(failure.case, ())
    try:
        test = subject.load()
        done = reduced(test, subject, target, out, _EXECUTIONS.get(failure.verdict, _MOST_EXECUTIONS), progress)
    except (SpecError, CommandError) as error:
        progress.print(f"{failure.case} is not reduced: {error}")
        return None
    if done.files is None:
        progress.print(f"{failure.case} is not reduced: {done.reduction.obstacle}")
        return None
    outcome, small = done.outcome, done.reduction
    return LoggedReduction(
        done.fingerprint,
        outcome.verdict,
        outcome.rule,
        outcome.reason,
        (failure.case,),
        len(test.main.operations),
        small.executions,
        graph_of(small.test),
        f"{FOLDER}/{done.fingerprint}",
        replay_command(out / FOLDER / done.fingerprint, target),
    )


def graph_of(test: TestModel) -> tuple[ReducedOperation, ...]:
    """The main graph of a test, as the log has it."""
    graph = test.main
    makers = {index: number for number, one in enumerate(graph.operations) for index in one.outputs}

    def named(index: int) -> str:
        return described_operand(graph.operands[index], index)

    return tuple(
        ReducedOperation(
            operation_name(one.type),
            tuple((named(index), makers.get(index, -1)) for index in one.inputs),
            tuple(map(named, one.outputs)),
        )
        for one in graph.operations
    )
