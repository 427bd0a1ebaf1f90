"""Count, by kind of arithmetic, how many planted errors are found and how many honest drivers are blamed.

:func:`run_study` does it for ``__main__.py``; :func:`rows` makes the table. A mutant is a planted error in one
operation of one kind of arithmetic; in graphs, it is the error in a graph of one rank. A mutant is killed if a judge
finds its results wrong on one of the models. Models on which an error changes no compared output do not count. There
are two judges: the error bounds, and for comparison the criteria of NNAPI's tests. More honest drivers are judged, on
more models, by ``comparisons.py``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

import numpy as np

from nnvet.conformance.suites.random_graphs.checks import find_undecided, first_wrong
from nnvet.generators.random_graphs.golden import inputs_of, with_golden_results
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.types import Model
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.execution import evaluate
from nnvet.oracle.random_graphs import CRITERIA, SMALL_GRAPH
from tools.oracle_study.comparisons import Judge, make_bounds_judge
from tools.oracle_study.driver import HonestDriver
from tools.oracle_study.fault import is_held_out
from tools.oracle_study.faults import FAULTS, run_with
from tools.oracle_study.honest import HONEST
from tools.oracle_study.models import KINDS, StudyModel


def make_nnapi_judge(sample: StudyModel) -> Judge | None:
    """Return the judge that uses NNAPI's criteria for random graphs; None if an expected result is no float32."""
    criteria = CRITERIA.get(sample.subject, SMALL_GRAPH)
    try:
        golden = with_golden_results(sample.test)
    except ValueError:
        return None
    open_to = find_undecided(golden, criteria)

    def judge(outputs: Sequence[Array]) -> str:
        for operand, output in zip(golden.main.outputs, outputs, strict=True):
            if not operand.is_ignored and operand.data is not None and output.size != operand.data.size:
                return "other dimensions"
        found = first_wrong(golden, outputs, criteria, open_to)
        return "" if found is None else str(found[1])

    return judge


@dataclass
class KillTally:
    """Counts for one kind of arithmetic, one half of the errors and drivers (held out or not), and one judge.

    ``mutants`` says by error and operation whether the mutant is killed; ``honest`` counts runs of honest drivers.
    """

    mutants: dict[tuple[str, str], bool] = field(default_factory=dict)
    honest: int = 0
    alarms: list[str] = field(default_factory=list)

    @property
    def kill_rate(self) -> float:
        """Share of mutants that are killed."""
        return sum(self.mutants.values()) / len(self.mutants) if self.mutants else 1.0

    @property
    def survivors(self) -> list[tuple[str, str]]:
        """Errors, with their operations, that this judge has not found."""
        return sorted(key for key, killed in self.mutants.items() if not killed)


@dataclass
class Study:
    """Tallies by kind of arithmetic, held out or not, and judge; and by kind the shares of undecided elements."""

    tallies: dict[tuple[str, bool, str], KillTally] = field(default_factory=lambda: defaultdict(KillTally))
    open_shares: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def run_study(
    models: Iterable[StudyModel], study: Study | None = None, drivers: Sequence[HonestDriver] = HONEST
) -> Study:
    """Plant every error in every model, run every honest driver, and judge all results; add them to ``study``."""
    found = Study() if study is None else study
    for sample in models:
        model = build_model(sample.test)
        try:
            with np.errstate(all="ignore"):
                _judge_drivers(sample, model, inputs_of(sample.test), found, drivers)
        finally:
            close_pools(model)
    return found


def _judge_drivers(
    sample: StudyModel, model: Model, inputs: list[Array | None], study: Study, drivers: Sequence[HonestDriver]
) -> None:
    checked = [not operand.is_ignored for operand in sample.test.main.outputs]
    bounds, estimates = make_bounds_judge(model, inputs, checked)
    study.open_shares[sample.kind] += [estimate.undecided_share for estimate in estimates]
    judges: dict[str, Judge | None] = {"bounds": bounds, "NNAPI": make_nnapi_judge(sample)}
    right = [evaluate(model, inputs)]
    for driver in drivers:
        outputs = driver.run(model, inputs) if sample.kind in driver.kinds else None
        if outputs is None:
            continue
        right.append(outputs)
        for name, judge in judges.items():
            tally = study.tallies[sample.kind, is_held_out(driver.name), name]
            tally.honest += judge is not None
            wrong = judge(outputs) if judge is not None else ""
            if wrong:
                tally.alarms.append(f"{driver.name}, {sample.test.name}: {wrong}")
    _plant_faults(sample, model, inputs, judges, right, study)


def _plant_faults(
    sample: StudyModel,
    model: Model,
    inputs: list[Array | None],
    judges: dict[str, Judge | None],
    right: Sequence[Sequence[Array]],
    study: Study,
) -> None:
    checked = [not operand.is_ignored for operand in sample.test.main.outputs]
    for fault in FAULTS:
        if sample.kind == "relaxed" and not fault.in_relaxed:
            continue
        tallies = [
            (judge, study.tallies[sample.kind, is_held_out(fault.name), name])
            for name, judge in judges.items()
            if judge is not None
        ]
        key = (fault.name, sample.subject)
        if all(tally.mutants.get(key) for _, tally in tallies):
            # Both judges have found this error in another model.
            continue
        outputs = run_with(fault, model, inputs, crc32(sample.test.name.encode()))
        if outputs is None or not _differ(outputs, right, checked):
            continue
        for judge, tally in tallies:
            tally.mutants[key] = tally.mutants.get(key, False) or bool(judge(outputs))


def _differ(outputs: Sequence[Array], right: Sequence[Sequence[Array]], checked: Sequence[bool]) -> bool:
    """Return True if an output that is compared has an element that no honest driver has."""
    for position, (output, is_checked) in enumerate(zip(outputs, checked, strict=True)):
        if not is_checked:
            continue
        known = np.zeros(output.shape, np.bool_)
        for honest in right:
            wanted = honest[position]
            if wanted.shape != output.shape:
                continue
            known |= np.isclose(output, wanted, rtol=0, atol=0, equal_nan=output.dtype.kind == "f")
        if not known.all():
            return True
    return False


HEADINGS: Final = ("kind", "half", "mutants", "killed", "by NNAPI", "honest runs", "false alarms", "by NNAPI", "open")
"""Titles of the columns of :func:`rows`."""
_HALVES: Final = {False: "tuned on", True: "held out"}
"""Names of the two halves of errors and drivers: those that were looked at while bounds were tuned, and the others."""


def rows(study: Study) -> Iterator[tuple[str, ...]]:
    """Yield a row of the table for each kind of arithmetic and half."""
    for kind in KINDS:
        for held_out, half in _HALVES.items():
            ours, theirs = (study.tallies.get((kind, held_out, judge), KillTally()) for judge in ("bounds", "NNAPI"))
            if not ours.honest and not ours.mutants:
                continue
            shares = study.open_shares[kind]
            yield (
                kind,
                half,
                str(len(ours.mutants)),
                _show_percent(ours.kill_rate),
                _show_percent(theirs.kill_rate) if theirs.mutants else "",
                str(ours.honest),
                str(len(ours.alarms)),
                str(len(theirs.alarms)) if theirs.honest else "",
                _show_percent(sum(shares) / max(1, len(shares))),
            )


def list_alarms(study: Study) -> list[str]:
    """Return a line for each result of an honest driver that the error bounds find wrong."""
    return [line for (_, _, judge), tally in study.tallies.items() if judge == "bounds" for line in tally.alarms]


def list_survivors(study: Study) -> list[tuple[str, str]]:
    """Return the errors that the bounds miss, the most frequent first, with kinds of arithmetic and operations."""
    missed: dict[str, Counter[str]] = {}
    for (kind, _, judge), tally in study.tallies.items():
        if judge == "bounds":
            for fault, subject in tally.survivors:
                missed.setdefault(fault, Counter())[f"{kind} {subject}"] += 1
    ordered = sorted(missed.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return [(fault, ", ".join(sorted(places))) for fault, places in ordered]


def _show_percent(share: float) -> str:
    return f"{100 * share:.1f} %"
