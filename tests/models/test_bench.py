"""The benchmark as a whole on small folders: verdicts, missing things, interruption, lost drivers, caches, events."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnvet.formats.errors import DataError
from nnvet.hal.enums import FeatureLevel
from nnvet.hal.interfaces import Device
from nnvet.models import bench, litert
from nnvet.models.bench import BenchOptions, BenchRun, Hooks, run_bench
from nnvet.models.catalogue import ModelCatalogue, load_catalogue
from nnvet.models.compiling import CompileLimits
from nnvet.models.contenders import Contender
from nnvet.models.driver import DriverContender
from nnvet.models.litert import LiteRt
from nnvet.models.results import BenchResult, case_event, measurement_event
from nnvet.reference_driver import create
from nnvet.reports.events import CaseFinished, Measurement, Verdict, decode, encode
from nnvet.transport.wire.failures import DriverCrash, DriverHang
from tests.drivers.changed import Biased, Caching, Dying, Liar, Old, Partial, Wrapped
from tests.models.toys.folder import write_toys

QUICK = BenchOptions(warmup_s=0.0, run_s=0.0, compile=None)
FLOAT, QUANT, SPEECH = "toy_mobilenet_v2_float", "toy_mobilenet_v1_quant", "toy_asr_float"


@pytest.fixture(scope="session")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of toys, written once; its golden outputs come from LiteRT where it is installed."""
    path = tmp_path_factory.mktemp("toys")
    write_toys(path)
    return path


def contenders(device: Device, renew: Callable[[], Device] | None = None) -> list[Contender]:
    """LiteRT, if it is there, and a driver."""
    found, _ = bench.baselines()
    return [*found, DriverContender("test", device, renew)]


def run(folder: Path, device: Device, *names: str, options: BenchOptions = QUICK, **others: Any) -> BenchRun:
    """Benchmark some models."""
    options = replace(options, only=names or ("*",))
    return run_bench(load_catalogue(folder), contenders(device, **others), options)


def of_driver(found: BenchRun) -> list[BenchResult]:
    """The results of the driver."""
    return [result for result in found.results if result.backend == "nnvet:test"]


def test_all_toys_pass(toys: Path) -> None:
    """The reference driver passes every entry; every evaluator and every kind of golden output takes part."""
    found = run(toys, create(""))
    driver = of_driver(found)
    assert {result.verdict for result in driver} == {Verdict.PASS}, [result.reason for result in driver]
    assert len(driver) == len(load_catalogue(toys).entries) == 10
    measured = {key for result in driver if result.evaluation for key in result.evaluation.values}
    assert measured >= {"top_1", "max_mel_cep_distortion", "max_log_f0_error", "max_phone_error_rate"}
    for result in driver:
        assert result.latency is not None
        assert result.scored_steps == result.test_set_size == result.latency.iterations
    assert not found.interrupted


@pytest.mark.parametrize(
    ("model", "bias", "verdict"),
    [(FLOAT, 1e-6, Verdict.PASS), (FLOAT, 1e-3, Verdict.FAIL), (QUANT, 3, Verdict.PASS), (QUANT, 4, Verdict.FAIL)],
)
def test_wrong_outputs_fail(toys: Path, model: str, bias: float, verdict: Verdict) -> None:
    """A driver whose outputs are off by more than the rule fails with the worst element; rounding errors pass."""
    (result,) = of_driver(run(toys, Biased(bias), model))
    assert result.verdict is verdict
    if verdict is Verdict.FAIL:
        assert "golden outputs" in result.reason
        assert "output 0, element" in result.reason


def test_evaluators_judge(toys: Path) -> None:
    """Speech whose outputs are all off by 5 breaks the distortion limit, which the baseline keeps."""
    (result,) = of_driver(run(toys, Biased(5.0), "toy_tts_float"))
    checks = {check.name: check.passed for check in result.checks}
    assert checks["golden outputs"] is False
    assert checks["max_log_f0_error"] is False
    assert result.evaluation is not None
    assert result.evaluation.errors


def test_unsupported_operations_are_named(toys: Path) -> None:
    """A driver that declines an operation is UNSUPPORTED, not failed, and the operation is named."""
    (result,) = of_driver(run(toys, Partial(), FLOAT))
    assert result.verdict is Verdict.UNSUPPORTED
    assert result.reason == "the driver does not take SOFTMAX"
    assert result.latency is None


def test_level_of_the_driver(toys: Path, tmp_path: Path) -> None:
    """MinSdkVersion 29 is feature level 3; an older driver is reported and the baseline runs all the same."""
    folder = shutil.copytree(toys, tmp_path / "copy")
    text = (folder / "models_list" / "golden.json").read_text("utf-8")
    entries = json.loads(text)
    for entry in entries["models"]:
        entry["minSdkVersion"] = 29
    (folder / "models_list" / "golden.json").write_text(json.dumps(entries), "utf-8")
    found = run(folder, Old(), QUANT)
    (result,) = of_driver(found)
    assert (result.verdict, result.reason) == (
        Verdict.UNSUPPORTED,
        "the model needs feature level 3, the driver has 1",
    )
    assert all(other.verdict is Verdict.PASS for other in found.results if other is not result)


@pytest.mark.parametrize("level", [1, 3, 8])
def test_every_way_of_executing(toys: Path, level: int) -> None:
    """Drivers of all levels are run in the way that their level has, with the same results."""

    class Levelled(Wrapped):
        feature_level = FeatureLevel(level)

    (result,) = of_driver(run(toys, Levelled(), QUANT))
    assert result.verdict is Verdict.PASS, result.reason


def test_broken_promises_fail(toys: Path) -> None:
    """A driver that claims all operations and then refuses the model fails."""
    (result,) = of_driver(run(toys, Liar(), QUANT))
    assert result.verdict is Verdict.FAIL
    assert "prepareModel failed: RESOURCE_EXHAUSTED_PERSISTENT" in result.reason


@pytest.mark.parametrize(("error", "verdict"), [(DriverCrash, Verdict.CRASH), (DriverHang, Verdict.HANG)])
def test_a_lost_driver_is_renewed(toys: Path, error: type[DriverCrash | DriverHang], verdict: Verdict) -> None:
    """A crash or hang is a verdict with evidence; the next model gets a fresh driver."""
    found = of_driver(run(toys, Dying(error), QUANT, SPEECH, renew=lambda: create("")))
    assert [result.verdict for result in found] == [verdict, Verdict.PASS]
    assert found[0].evidence["signal"] == "SIGSEGV"
    assert case_event(found[0]).evidence["signal"] == "SIGSEGV"


def test_a_lost_driver_without_a_fresh_one(toys: Path) -> None:
    """Without a way to renew it, every model tells that the driver is gone."""
    found = of_driver(run(toys, Dying(), QUANT, SPEECH))
    assert [result.verdict for result in found] == [Verdict.CRASH, Verdict.CRASH]


def test_missing_models_do_not_stop_the_run(toys: Path, tmp_path: Path) -> None:
    """Missing models and data are NOT_RUN with the file's name; what is there is run."""
    folder = shutil.copytree(toys, tmp_path / "copy")
    (folder / f"{QUANT}.tflite").unlink()
    (folder / f"{FLOAT}-0.input").unlink()
    found = of_driver(run(folder, create(""), QUANT, FLOAT, SPEECH))
    verdicts = {result.model: result.verdict for result in found}
    assert verdicts == {QUANT: Verdict.NOT_RUN, FLOAT: Verdict.NOT_RUN, SPEECH: Verdict.PASS}
    reasons = {result.model: result.reason for result in found}
    assert f"{QUANT}.tflite: there is no such model file" in reasons[QUANT]
    assert f"{FLOAT}-0.input: cannot be read" in reasons[FLOAT]


def test_models_without_nnapi_form(toys: Path, tmp_path: Path) -> None:
    """A damaged model is NOT_RUN on every backend, with the reason."""
    folder = shutil.copytree(toys, tmp_path / "copy")
    path = folder / f"{QUANT}.tflite"
    path.write_bytes(path.read_bytes()[:1000])
    for result in run(folder, create(""), QUANT).results:
        assert result.verdict in (Verdict.NOT_RUN, Verdict.UNSUPPORTED)
        assert result.latency is None
    (result,) = of_driver(run(folder, create(""), QUANT))
    assert (result.verdict, "cut short" in result.reason) == (Verdict.NOT_RUN, True)


def test_golden_files_of_another_model(toys: Path, tmp_path: Path) -> None:
    """Golden outputs of another size are the data's fault: NOT_RUN, with both sizes."""
    folder = shutil.copytree(toys, tmp_path / "copy")
    (folder / f"{QUANT}-0.output").write_bytes(bytes(17))
    (result,) = of_driver(run(folder, create(""), QUANT))
    assert result.verdict is Verdict.NOT_RUN
    assert "golden outputs have [17] elements, the model's [16]" in result.reason


def test_interruption_keeps_finished_results(toys: Path) -> None:
    """Ctrl-C during the second model keeps the first one's results; the rest is NOT_RUN; all were handed on."""
    handed: list[BenchResult] = []

    def interrupt(progress: bench.Progress) -> None:
        if progress.model == QUANT:
            raise KeyboardInterrupt

    options = replace(QUICK, only=("toy_mobilenet_v1_float", QUANT, SPEECH))
    found = run_bench(load_catalogue(toys), contenders(create("")), options, Hooks(interrupt, handed.append))
    assert found.interrupted
    assert [(result.model, result.verdict) for result in of_driver(found)] == [
        ("toy_mobilenet_v1_float", Verdict.PASS),
        (QUANT, Verdict.NOT_RUN),
        (SPEECH, Verdict.NOT_RUN),
    ]
    assert tuple(handed) == found.results


def test_selection(toys: Path) -> None:
    """Globs select models; a selection that is empty is an error."""
    assert {result.model for result in run(toys, create(""), "*asr*").results} == {SPEECH}
    with pytest.raises(DataError, match="no model is selected by resnet; there are toy_mobilenet_v1_float"):
        run(toys, create(""), "resnet")


def test_compilation_is_measured(toys: Path) -> None:
    """Without caching there is one figure; with it there are three and the size of the files."""
    options = replace(QUICK, compile=CompileLimits(0.0, 0.0))
    (plain,) = of_driver(run(toys, create(""), QUANT, options=options))
    if plain.compilation.cache_size_bytes == 0:
        assert list(plain.compilation.latencies) == ["compile_without_cache"]
    caching = Caching()
    (cached,) = of_driver(run(toys, caching, QUANT, options=options))
    assert list(cached.compilation.latencies) == ["compile_without_cache", "save_to_cache", "prepare_from_cache"]
    assert cached.compilation.cache_size_bytes == 2 * 3 * 32
    assert caching.loads == 2
    assert cached.verdict is Verdict.PASS


def test_events(toys: Path) -> None:
    """Results become events of the log that keep its schema and say what was found."""
    found = run(toys, Biased(4), QUANT, options=replace(QUICK, compile=CompileLimits(0.0, 0.0)))
    for result in found.results:
        event = decode(encode(measurement_event(result)))
        assert isinstance(event, Measurement)
        assert (event.model, event.backend) == (QUANT, result.backend)
        assert event.latency == result.latency
        assert event.is_baseline is (result.backend != "nnvet:test")
        assert event.compilation["compile_without_cache"].iterations >= 1
    (result,) = of_driver(found)
    case = decode(encode(case_event(result, 1.5)))
    assert isinstance(case, CaseFinished)
    assert (case.case, case.verdict, case.duration_s, case.suite) == (f"bench/{QUANT}", Verdict.FAIL, 1.5, "bench")
    assert case.evidence["checks"][0]["passed"] is False
    assert measurement_event(result).max_single_error == 4
    (missing,) = of_driver(run(toys, Partial(), FLOAT))
    assert measurement_event(missing).error == "the driver does not take SOFTMAX"


@pytest.mark.long
def test_without_litert(toys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra there is no baseline, which is reported; the run goes on with the oracle's golden outputs."""
    monkeypatch.setattr(litert, "litert", None)
    found, why = bench.baselines()
    assert found == ()
    assert "pip install 'nnvet[litert]'" in why
    assert write_toys(tmp_path) == "oracle"
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in toys.iterdir()}
    for theirs in toys.glob("*.output"):
        ours = tmp_path / theirs.name
        if "quant" in theirs.name:
            codes = [np.fromfile(path, np.uint8).astype(int) for path in (ours, theirs)]
            assert np.abs(codes[0] - codes[1]).max() <= 1
        else:
            np.testing.assert_allclose(np.fromfile(ours, "<f4"), np.fromfile(theirs, "<f4"), 1e-4, 1e-5)
    (result,) = run(tmp_path, create(""), SPEECH).results
    assert result.verdict is Verdict.PASS


def test_reference_kernels_are_a_second_baseline(toys: Path) -> None:
    """On request LiteRT's plain kernels run beside the optimised ones."""
    pytest.importorskip("ai_edge_litert", reason="needs the litert extra")
    found, why = bench.baselines(reference_kernels=True)
    assert ([contender.backend for contender in found], why) == (["LiteRT", "LiteRT reference kernels"], "")
    results = run_bench(load_catalogue(toys), [LiteRt("LiteRT reference kernels")], replace(QUICK, only=(QUANT,)))
    assert [result.verdict for result in results.results] == [Verdict.PASS]


def test_catalogue_of_the_toys(toys: Path) -> None:
    """Theirs is a folder of models like any other: networks, data, pictures and lists."""
    catalogue: ModelCatalogue = load_catalogue(toys)
    assert len(list((toys / "pictures").glob("*.jpeg"))) == 24
    assert {entry.evaluator.class_name for entry in catalogue.entries if entry.evaluator} == {
        "TopK",
        "MelCepLogF0",
        "PhoneErrorRate",
    }
    truth = (toys / "pictures" / "toy_mobilenet_v2.txt").read_text("utf-8").splitlines()
    assert len(set(truth)) > 1
