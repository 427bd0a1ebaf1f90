"""Results of the benchmark, and their conversion to events of the log (:mod:`nnvet.reports.events`).

``bench.py`` makes a :class:`BenchResult` for each model on each backend, and ``comparing.py`` adds the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from nnvet.models.evaluation import Evaluation
from nnvet.models.run_rules import breaches_of
from nnvet.reports import events
from nnvet.reports.conditions import ColdStart, Conditions, ScenarioRun, Sustained


@dataclass(frozen=True)
class CriterionResult:
    """Result of one criterion; ``passed`` is None if it cannot be decided, for the reason in ``text``."""

    name: str
    passed: bool | None
    text: str

    @property
    def decides(self) -> bool:
        """Return True if the criterion decides for or against the driver."""
        return self.passed is not None


@dataclass(frozen=True)
class GoldenErrors:
    """Distance from golden outputs: mean square error of a step (summed over outputs) and largest absolute error.

    ``excess`` is the distance of the worst element beyond its ``tolerance`` (0 or less if all are within), and
    ``where`` names that element.
    """

    mean_square_error: float
    max_single_error: float
    excess: float
    tolerance: float
    where: str


@dataclass(frozen=True)
class Compilation:
    """Compilation times by metric, named as in :class:`nnvet.reports.events.Measurement`."""

    latencies: dict[str, events.Latency] = field(default_factory=dict)
    cache_size_bytes: int = 0
    error: str = ""


@dataclass(frozen=True)
class BenchResult:
    """One model on one backend. ``test_set_size`` counts the steps of the entry's data, ``scored_steps`` those run."""

    model: str
    backend: str
    verdict: events.Verdict
    reason: str = ""
    latency: events.Latency | None = None
    compilation: Compilation = field(default_factory=Compilation)
    golden: GoldenErrors | None = None
    evaluation: Evaluation | None = None
    checks: tuple[CriterionResult, ...] = ()
    test_set_size: int = 0
    scored_steps: int = 0
    evidence: dict[str, Any] = field(default_factory=dict)
    comparisons: tuple[events.Comparison, ...] = ()
    first_inference_s: float | None = None
    harness_overhead_s: float | None = None
    energy_j: float | None = None
    ratio: events.SpeedRatio | None = None
    waited: float | None = None
    family: str = ""
    toy: bool = False
    conditions: Conditions | None = None
    cold: ColdStart | None = None
    sustained: Sustained | None = None
    scenarios: tuple[ScenarioRun, ...] = ()


def measurement_event(result: BenchResult) -> events.Measurement:
    """Return the measurement of the log, with the run rules that it breaks."""
    evaluation = result.evaluation or Evaluation({})
    failed = "" if result.latency else result.reason or result.verdict
    measured = events.Measurement(
        model=result.model,
        backend=result.backend,
        latency=result.latency,
        compilation=result.compilation.latencies,
        compilation_cache_size_bytes=result.compilation.cache_size_bytes,
        test_set_size=result.test_set_size,
        mean_square_error=result.golden.mean_square_error if result.golden else None,
        max_single_error=result.golden.max_single_error if result.golden else None,
        accuracy=evaluation.values,
        limits=evaluation.limits,
        validation_errors=evaluation.errors,
        error=failed,
        unsupported=result.verdict is events.Verdict.UNSUPPORTED,
        comparisons=result.comparisons,
        first_inference_s=result.first_inference_s,
        harness_overhead_s=result.harness_overhead_s,
        energy_j=result.energy_j,
        latency_ratio=result.ratio,
        waited=result.waited,
        family=result.family,
        toy=result.toy,
        conditions=result.conditions,
        cold=result.cold,
        sustained=result.sustained,
        scenarios=result.scenarios,
    )
    return replace(measured, breaches=breaches_of(measured))


def case_id(result: BenchResult, *, several: bool = False) -> str:
    """Return the stable id of a model's case in the log; with ``several`` drivers each has its own."""
    return f"{events.OF_A_MODEL}/{result.model}" + (
        f"@{result.backend.removeprefix(events.OUR_BACKEND)}" if several else ""
    )


def case_event(result: BenchResult, duration_s: float = 0.0, *, several: bool = False) -> events.CaseFinished:
    """Return the verdict on a driver as a case of the log; baselines have none."""
    evidence = {
        **result.evidence,
        "backend": result.backend,
        "scored_steps": result.scored_steps,
        "checks": [{"name": check.name, "passed": check.passed, "text": check.text} for check in result.checks],
        "compilation_error": result.compilation.error,
    }
    return events.CaseFinished(
        case=case_id(result, several=several),
        verdict=result.verdict,
        reason=result.reason,
        evidence=evidence,
        duration_s=duration_s,
        labels={"suite": events.OF_A_MODEL, "model": result.model},
    )
