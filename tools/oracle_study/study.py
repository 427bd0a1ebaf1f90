"""Counts, by kind of arithmetic, how many planted errors are found and how many honest drivers are blamed.

A mutant is a fault in an operation of a kind (and each graph with a fault is one); it is killed if one of the models
convicts it. Models on which a fault changes nothing that is compared do not count. Judges are the error bounds, and
beside them the criteria of the NNAPI.

A comparison is one driver's outputs of one model. Pieces are numbered: equal numbers have equal models, so that a long
run can be cut into pieces and taken up again.
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
from tools.oracle_study.comparisons import Judge, by_bounds
from tools.oracle_study.driver import HonestDriver
from tools.oracle_study.fault import is_held_out
from tools.oracle_study.faults import FAULTS, run_with
from tools.oracle_study.honest import HONEST
from tools.oracle_study.models import KINDS, StudyModel


def by_nnapi(sample: StudyModel) -> Judge | None:
    """Return the criteria of random graphs in NNAPI's tests; None where the expected results have no float32 form."""
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


JUDGES: Final = ("bounds", "NNAPI")


@dataclass
class KillTally:
    """Counts of one kind, for one half of the faults and drivers, by one judge."""

    mutants: dict[tuple[str, str], bool] = field(default_factory=dict)
    honest: int = 0
    alarms: list[str] = field(default_factory=list)

    @property
    def kill_rate(self) -> float:
        """Share of mutants that are killed."""
        return sum(self.mutants.values()) / len(self.mutants) if self.mutants else 1.0

    @property
    def survivors(self) -> list[tuple[str, str]]:
        """Faults, with their operations, that nothing has found."""
        return sorted(key for key, killed in self.mutants.items() if not killed)


@dataclass
class Study:
    """Tallies by (kind, held out, judge); shares of elements that the bounds leave open, by kind."""

    tallies: dict[tuple[str, bool, str], KillTally] = field(default_factory=lambda: defaultdict(KillTally))
    open_shares: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def run_study(
    models: Iterable[StudyModel], study: Study | None = None, drivers: Sequence[HonestDriver] = HONEST
) -> Study:
    """Plant every fault in every model, and run every honest driver."""
    found = Study() if study is None else study
    for sample in models:
        model = build_model(sample.test)
        try:
            with np.errstate(all="ignore"):
                _judge(sample, model, inputs_of(sample.test), found, drivers)
        finally:
            close_pools(model)
    return found


def _judge(
    sample: StudyModel, model: Model, inputs: list[Array | None], study: Study, drivers: Sequence[HonestDriver]
) -> None:
    checked = [not operand.is_ignored for operand in sample.test.main.outputs]
    bounds, estimates = by_bounds(model, inputs, checked)
    study.open_shares[sample.kind] += [estimate.undecided_share for estimate in estimates]
    judges: dict[str, Judge | None] = {"bounds": bounds, "NNAPI": by_nnapi(sample)}
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
    _plant(sample, model, inputs, judges, right, study)


def _plant(
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
            # Both have found it in another model.
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
_HALVES: Final = {False: "tuned on", True: "held out"}


def rows(study: Study) -> Iterator[tuple[str, ...]]:
    """Yield a row for each kind and half; shares of elements that the bounds leave open once for each kind."""
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
                _percent(ours.kill_rate),
                _percent(theirs.kill_rate) if theirs.mutants else "",
                str(ours.honest),
                str(len(ours.alarms)),
                str(len(theirs.alarms)) if theirs.honest else "",
                _percent(sum(shares) / max(1, len(shares))),
            )


def alarms(study: Study) -> list[str]:
    """Return the honest drivers that the bounds blame."""
    return [line for (_, _, judge), tally in study.tallies.items() if judge == "bounds" for line in tally.alarms]


def survivors(study: Study) -> list[tuple[str, str]]:
    """Return the faults that the bounds miss, the most frequent first, with kinds and operations."""
    missed: dict[str, Counter[str]] = {}
    for (kind, _, judge), tally in study.tallies.items():
        if judge == "bounds":
            for fault, subject in tally.survivors:
                missed.setdefault(fault, Counter())[f"{kind} {subject}"] += 1
    ordered = sorted(missed.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return [(fault, ", ".join(sorted(places))) for fault, places in ordered]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
