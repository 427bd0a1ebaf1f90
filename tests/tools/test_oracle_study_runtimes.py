"""Runtimes as honest drivers of the study: single operations that they take, none of which is blamed."""

import importlib
from itertools import chain
from pathlib import Path

import pytest

from nnvet.generators.random_graphs.golden import inputs_of
from nnvet.graphs.hal_model import build_model
from tools.oracle_study import runtimes
from tools.oracle_study.comparisons import Comparisons, compare
from tools.oracle_study.driver import HonestDriver
from tools.oracle_study.models import KINDS, StudyModel, make_models
from tools.oracle_study.nasty import make_nasty_models
from tools.oracle_study.runtimes import RUNTIMES, make_runtime_drivers
from tools.oracle_study.study import list_alarms, run_study

pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
pytest.importorskip("onnxruntime", reason="needs the onnx extra")

FINDINGS = Path(__file__).parents[2] / "docs" / "findings"
SOME = {"ADD", "AVERAGE_POOL_2D", "CONV_2D", "DEQUANTIZE", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "SOFTMAX"}


def by_name() -> dict[str, HonestDriver]:
    """All that are installed."""
    return {driver.name: driver for driver in make_runtime_drivers()}


def taken(driver: HonestDriver, sample: StudyModel) -> bool:
    """Return True if it takes a model."""
    return driver.run(build_model(sample.test), inputs_of(sample.test)) is not None


@pytest.mark.long
def test_no_runtime_is_blamed() -> None:
    """LiteRT with three sets of kernels, ONNX Runtime: each has models of its own in every kind that it knows."""
    models = [
        sample for seed in (1, 3) for kind in KINDS for sample in make_models(seed, kind) if sample.subject in SOME
    ]
    drivers = tuple(by_name().values())
    study = run_study((model for model in models if model.kind != "relaxed"), drivers=drivers)
    assert list_alarms(study) == []
    counted = {kind: sum(study.tallies[kind, half, "bounds"].honest for half in (False, True)) for kind in KINDS}
    assert all(counted[kind] > 20 for kind in ("float32", "float16", "uint8", "int8", "per-channel"))


def test_what_a_runtime_does_wrongly_and_graphs_are_left_out() -> None:
    """With a reason; the other kernels of the same runtime are compared."""
    drivers = by_name()
    assert set(drivers) <= {runtime.name for runtime in RUNTIMES}
    assert len(drivers) >= 4
    assert all(reason for runtime in RUNTIMES for reason in runtime.unlike.values())
    normalization = next(
        sample for sample in make_models(0, "float32") if sample.subject == "LOCAL_RESPONSE_NORMALIZATION"
    )
    assert not taken(drivers["litert-reference"], normalization)
    assert taken(drivers["litert-builtin"], normalization)
    graph = next(sample for sample in make_models(0, "float32") if sample.subject.startswith("graph"))
    assert not any(taken(driver, graph) for driver in drivers.values())


@pytest.mark.long
def test_models_that_a_finding_concerns_are_left_out() -> None:
    """Each of them names a folder of docs/findings; models of the same operations beside them are compared."""
    for runtime in RUNTIMES:
        assert all((FINDINGS / runtime.adapter / found.name / "finding.toml").is_file() for found in runtime.findings)
    drivers = by_name()
    for name, kinds, subject in (("litert-builtin", ("float32",), "QUANTIZE"), ("torch", ("float32",), "CONV_2D")):
        runtime = next(runtime for runtime in RUNTIMES if runtime.name == name)
        (finding,) = runtime.findings
        asked = {True: 0, False: 0}
        for sample in chain.from_iterable(make_nasty_models(20261127900, piece) for piece in range(8)):
            if sample.kind in kinds and sample.subject == subject:
                concerns = finding.concerns(build_model(sample.test), inputs_of(sample.test))
                asked[concerns] += 1
                assert not (concerns and taken(drivers[name], sample))
                if all(asked.values()):
                    break
        assert all(asked.values()), name


def test_further_drivers_are_counted() -> None:
    """Each that is installed takes a difference."""
    found = Comparisons()
    sums = next(sample for sample in make_models(0, "float32") if sample.subject == "SUB")
    compare(sums, found, make_runtime_drivers())
    assert found.alarms == []
    assert found.drivers.keys() == by_name().keys()


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without LiteRT there is ONNX Runtime alone."""

    def imported(name: str) -> object:
        if "litert" in name or "torch" in name:
            raise ModuleNotFoundError(name)
        return importlib.import_module(name)

    monkeypatch.setattr(runtimes, "import_module", imported)
    assert list(by_name()) == ["onnxruntime"]
