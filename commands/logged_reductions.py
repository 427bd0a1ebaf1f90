"""Makes failures of a run small before the run ends, and logs what is left of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from nnvet.commands.found_tests import FoundTest, find_test
from nnvet.commands.options import CommandError
from nnvet.commands.progress import RunProgress
from nnvet.commands.reducing import reduce_and_save, replay_of_saved
from nnvet.conformance.engine.keeping import FOLDER
from nnvet.conformance.engine.reducing import ReducedFailure
from nnvet.conformance.engine.runner import Extra
from nnvet.conformance.engine.subject import Target
from nnvet.conformance.engine.work import Elsewhere
from nnvet.generators.graphs.model import TestModel, operation_name
from nnvet.generators.random_graphs.named import describe_operand
from nnvet.generators.reducer import Ending, ReductionStep
from nnvet.generators.specs import SpecError
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, LoggedReduction, ReducedOperation, Verdict
from nnvet.reports.fingerprint import key_of
from nnvet.reports.log import EventLog

_EXECUTIONS: Final = {Verdict.HANG: 10}
"""Executions that making one failure small may take, where each costs a timeout."""
_KEPT_EXECUTIONS: Final = 200


class _Watcher:
    """Shows the reduction of one failure in the progress of its run."""

    def __init__(self, progress: RunProgress, case: str) -> None:
        self._progress, self._case = progress, case

    def step(self, step: ReductionStep) -> None:
        text = f"reducing {self._case}: {step.operations} operations; trying {step.trying}"
        self._progress.show_more(text, step.executions, step.budget)

    def print(self, text: str) -> None:
        self._progress.print(text)


class MadeSmall(NamedTuple):
    """The reduced form of a failure, and whether a signal has ended the reduction early."""

    entry: LoggedReduction
    is_interrupted: bool

    def go_on(self) -> None:
        """To the next failure, now that this one is logged.

        :raises KeyboardInterrupt: a signal came.
        """
        if self.is_interrupted:
            raise KeyboardInterrupt


def reduce_kept(target: Target, out: Path) -> Callable[[RunProgress], Extra]:
    """Return the task of ``run --reduce`` when the cases have ended: it reduces the failures that the run has kept."""

    def in_progress(progress: RunProgress) -> Extra:
        def reduce_all(log: EventLog) -> bool:
            found: dict[str, LoggedReduction] = {}
            results = log.so_far.results.values()
            for first in results:
                if first.verdict in DRIVER_FAULTS and "vector" in first.evidence:
                    others = (
                        sum(result.verdict in DRIVER_FAULTS and key_of(result) == key_of(first) for result in results)
                        - 1
                    )
                    small = _reduce_kept(first, target, out, progress)
                    if small is not None:
                        log.reduction(together(found, small.entry, others))
                        small.go_on()
            return True

        return reduce_all

    return in_progress


def _reduce_kept(failure: CaseFinished, target: Target, out: Path, progress: RunProgress) -> MadeSmall | None:
    """Make one failure small; None if that cannot be, for a reason that is printed."""
    try:
        found = find_test(str(out / failure.evidence["vector"]), ())
    except CommandError as error:
        progress.print(f"{failure.case} is not reduced: {error}")
        return None
    small = make_small(failure, found, target, out, _KEPT_EXECUTIONS, progress)
    if small is not None:
        entry = small.entry
        names = " and ".join(dict.fromkeys(operation.name for operation in entry.graph))
        before, after = entry.operations, len(entry.graph)
        progress.print(f"{failure.case}: {before} operations reduced to {after} in {entry.executions} executions")
        progress.print(f"  {names}, saved in {out / entry.folder}; replay: {entry.replay}")
    return small


def make_small(
    failure: CaseFinished,
    found: FoundTest,
    target: Target,
    out: Path,
    executions: int,
    progress: RunProgress,
    elsewhere: Elsewhere | None = None,
) -> MadeSmall | None:
    """Make one failure small and keep it; None if that cannot be, for a reason that is printed.

    ``executions`` are how many that may take; fewer if each costs a timeout. They take place ``elsewhere``, if given.
    """
    try:
        test = found.load()
        budget = _EXECUTIONS.get(failure.verdict, executions)
        done = reduce_and_save(test, found, target, out, budget, _Watcher(progress, failure.case), elsewhere)
    except (SpecError, CommandError) as error:
        progress.print(f"{failure.case} is not reduced: {error}")
        return None
    if done.files is None:
        progress.print(f"{failure.case} is not reduced: {done.reduction.obstacle}")
        return None
    is_interrupted = done.reduction.ending is Ending.INTERRUPTED
    return MadeSmall(_logged(failure, test, done, target, out), is_interrupted)


def _logged(failure: CaseFinished, test: TestModel, done: ReducedFailure, target: Target, out: Path) -> LoggedReduction:
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
        replay_of_saved(out / FOLDER / done.fingerprint, target),
    )


def together(found: dict[str, LoggedReduction], small: LoggedReduction, others: int) -> LoggedReduction:
    """One entry for all that ends at one graph, which ``found`` gains; ``others`` failures are like the one reduced."""
    known = found.get(small.fingerprint)
    if known is None:
        entry = replace(small, folded=others)
    else:
        entry = replace(known, cases=(*known.cases, *small.cases), folded=known.folded + others)
    found[small.fingerprint] = entry
    return entry


def graph_of(test: TestModel) -> tuple[ReducedOperation, ...]:
    """The main graph of a test, as the log has it."""
    graph = test.main
    makers = {index: number for number, operation in enumerate(graph.operations) for index in operation.outputs}

    def named(index: int) -> str:
        return describe_operand(graph.operands[index], index)

    return tuple(
        ReducedOperation(
            operation_name(operation.type),
            tuple((named(index), makers.get(index, -1)) for index in operation.inputs),
            tuple(map(named, operation.outputs)),
        )
        for operation in graph.operations
    )
