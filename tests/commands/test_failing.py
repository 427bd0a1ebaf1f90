"""``nnvet reduce`` and ``nnvet replay``, as a user types them, on drivers with known faults."""

import json
import os
import shlex
import signal
from pathlib import Path

import pytest

from nnvet.commands.actions.run import RunProgress
from nnvet.generators.specs import load_spec
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet, words

GRAPH = "TestRandomGraph/RandomGraphTest.LargeGraph_TENSOR_INT32_Rank4/1"
"""A graph of forty operations, in which zoo:graph-broadcast gets one wrong."""
SINGLE = "TestRandomGraph/SingleOperationTest.PRELU_V1_2/0"
"""Case that zoo:graph-drift gets wrong."""
CHAIN = """
x, y = Input("x", "TENSOR_FLOAT32", "{4}"), Output("y", "TENSOR_FLOAT32", "{4}")
a, b = Internal("a", "TENSOR_FLOAT32", "{4}"), Internal("b", "TENSOR_FLOAT32", "{4}")
model = Model().Operation("ABS", x).To(a).Operation("FLOOR", a).To(b).Operation("NEG", b).To(y)
Example({x: [1.0, -2.0, 3.0, 0.5], y: [0.0] * 4})
"""
BAD = """
import os
import time

from nnvet.driver_kit.base_device import BaseDevice


class Dying(BaseDevice):
    name = "dying"
    sleeps = False

    def supports(self, model, operation):
        return True

    def compile(self, model, config):
        if any(operation.type == 8 for operation in model.main.operations):
            time.sleep(60) if self.sleeps else os._exit(7)
        raise RuntimeError("nothing is computed")


class Silent(Dying):
    sleeps = True
"""


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """A spec with FLOOR between ABS and NEG, and drivers that die or hang of FLOOR."""
    path = tmp_path / "chain.mod.py"
    path.write_text(CHAIN)
    (tmp_path / "bad.py").write_text(BAD)
    return path


def saved(out: Path) -> Path:
    """The only folder of a failure."""
    (folder,) = (out / "failures").iterdir()
    return folder


def test_a_graph_is_reduced_saved_and_replayed(tmp_path: Path) -> None:
    """Forty operations become the one that the driver gets wrong; all files of it fail again, and not elsewhere."""
    driver = "zoo:graph-broadcast"
    result = nnvet("reduce", GRAPH, "-d", driver, "--in-process", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "40 operations reduced to 1 in" in result.output
    folder = saved(tmp_path)
    spec = folder / f"failure_{folder.name}.mod.py"
    assert sorted(path.suffix for path in folder.iterdir() if path.suffix != ".svg") == [
        ".bin",
        ".dot",
        ".json",
        ".py",
        ".tflite",
    ]
    (case,) = load_spec(spec)
    (operation,) = case.build().main.operations
    assert operation.type.name in {"ADD", "MUL", "SUB", "MAXIMUM", "MINIMUM"}
    assert f"# case: {GRAPH}\n# driver: {driver}\n" in spec.read_text(encoding="utf-8")
    assert json.loads((folder / "vector.json").read_text(encoding="utf-8"))["provenance"]["case"] == GRAPH
    for file in (folder, folder / "vector.json", spec, f"{spec}:{case.name}"):
        assert nnvet("replay", file, "-d", driver, "--in-process").exit_code == 1
    assert nnvet("replay", folder, "-d", "reference", "--in-process").exit_code == 0
    run = nnvet(
        "run", "-d", driver, "--in-process", "--specs", folder, "--only", "GeneratedTest/*", "--out", tmp_path / "r"
    )
    assert run.exit_code == 1
    assert {result.verdict for result in read_log(tmp_path / "r" / "run.jsonl").results.values()} == {"FAIL"}


def test_the_command_for_replay_is_printed(tmp_path: Path) -> None:
    """The line behind ``replay:`` fails as the case did, with the options that it was reduced with."""
    options = ["--in-process", "--timeout", "7", "--memory-limit", "512", "--level", "7"]
    result = nnvet("reduce", SINGLE, "-d", "zoo:graph-drift", *options, "--budget", "3", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "ended by budget" in result.output
    (line,) = [line for line in result.output.splitlines() if line.startswith("replay: nnvet ")]
    command = shlex.split(line)[2:]
    for option in options:
        assert option in command
    again = nnvet(*command)
    assert again.exit_code == 1
    assert "mean difference" in again.output


def test_a_reduced_failure_can_be_reduced_on(tmp_path: Path) -> None:
    """A saved failure is as good as a case: its manner of judging is kept."""
    first = nnvet("reduce", SINGLE, "-d", "zoo:graph-drift", "--in-process", "--budget", "2", "--out", tmp_path / "a")
    assert first.exit_code == 0, first.output
    folder = saved(tmp_path / "a")
    second = nnvet("reduce", folder, "-d", "zoo:graph-drift", "--in-process", "--out", tmp_path / "b")
    assert second.exit_code == 0, second.output
    assert saved(tmp_path / "b").name == folder.name


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("driver", "verdict"), [("Dying", "CRASH"), ("Silent", "HANG")])
def test_a_driver_that_dies_or_hangs(chain: Path, tmp_path: Path, driver: str, verdict: str) -> None:
    """A crash is reduced like a wrong value, a hang too, in processes of their own: FLOOR is left."""
    selector = f"python:{chain.parent / 'bad.py'}:{driver}"
    # Every start of a process takes a second: four executions are what bisection needs.
    options = ["--budget", "4", "--timeout", "2"]
    result = nnvet("reduce", chain, "-d", selector, *options, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert verdict in result.output
    spec = next(saved(tmp_path / "out").glob("*.mod.py"))
    assert [operation.type.name for operation in load_spec(spec)[0].build().main.operations] == ["FLOOR"]
    assert f"# verdict: {verdict}\n" in spec.read_text(encoding="utf-8")


def test_replay_of_cases() -> None:
    """A case of the bundled corpus passes on the bundled driver; a check without a model is replayed as well."""
    for case in ("GeneratedTest/sync/mean_float_inner_axes_kept", "BasicTest/GetCapabilitiesTest"):
        result = nnvet("replay", case, "-d", "reference", "--in-process")
        assert (result.exit_code, result.output.split()[:2]) == (0, ["PASS", case])
    result = nnvet("replay", SINGLE, "-d", "zoo:graph-drift", "--in-process")
    assert result.exit_code == 1
    assert "rule: execution/output.value, stated in docs/contract/" in result.output
    assert "PRELU" in result.output


def test_what_is_not_supported_proves_nothing() -> None:
    """UNSUPPORTED is neither 0 nor 1."""
    assert nnvet("replay", SINGLE, "-d", "reference", "--in-process", "--level", "1").exit_code == 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "reduce GeneratedTest/sync/mean_float_inner_axes_kept -d reference --in-process",
            "nothing to reduce: it is PASS",
        ),
        ("reduce BasicTest/GetCapabilitiesTest -d reference --in-process", "can be replayed, not reduced"),
        ("reduce absent.mod.py", "there is no spec file absent.mod.py"),
        ("replay absent/vector.json", "absent/vector.json cannot be read: No such file"),
        ("replay .", "vector.json cannot be read"),
        ("replay chain.mod.py:nothing", "has no case 'nothing'; it has chain"),
        ("replay GeneratedTest/sync/mean_float_inner", "the nearest ids are GeneratedTest/sync/mean_float_inner"),
        ("replay BasicTest/GetCapabilitiesTest -d quantum", "no kind 'quantum'"),
        ("reduce chain.mod.py -d quantum", "no kind 'quantum'"),
        ("reduce chain.mod.py -d python:bad.py:Absent", "no function or class 'Absent'"),
    ],
)
def test_mistakes(line: str, says: str, chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what is wrong; exit code 2."""
    monkeypatch.chdir(chain.parent)
    result = nnvet(*line.split())
    assert (result.exit_code, says in words(result)) == (2, True), result.output


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """The failure is reduced, but not saved: the message names the place."""
    (tmp_path / "file").write_text("")
    result = nnvet(
        "reduce", SINGLE, "-d", "zoo:graph-drift", "--in-process", "--budget", "1", "--out", tmp_path / "file"
    )
    assert result.exit_code == 2
    assert "cannot be written: Not a directory" in words(result)


def test_a_run_can_reduce_what_it_keeps(tmp_path: Path) -> None:
    """With ``--reduce`` the least test lies beside the one that was kept, and the run ends as without."""
    options = ["--in-process", "--only", SINGLE, "--reduce", "--out", tmp_path]
    run = nnvet("run", "-d", "zoo:graph-drift", *options)
    assert run.exit_code == 1, run.output
    assert "1 operations reduced to 1 in" in run.output
    assert len(list((tmp_path / "failures").iterdir())) == 2


def test_a_run_keeps_its_failures(tmp_path: Path) -> None:
    """The first failure of each fingerprint is saved below the results; the log names the vector, which fails again."""
    only = ["--only", SINGLE, "--only", SINGLE[:-1] + "1"]
    run = nnvet("run", "-d", "zoo:graph-drift", "--in-process", *only, "--out", tmp_path)
    assert run.exit_code == 1, run.output
    failed = [result for result in read_log(tmp_path / "run.jsonl").results.values() if result.verdict == "FAIL"]
    named = [result.evidence["vector"] for result in failed if "vector" in result.evidence]
    assert named == [f"failures/{result.fingerprint}/vector.json" for result in failed[:1]]
    assert nnvet("replay", tmp_path / named[0], "-d", "zoo:graph-drift", "--in-process").exit_code == 1
    assert nnvet("replay", saved(tmp_path), "-d", "reference", "--in-process").exit_code == 0


def test_a_signal_ends_all_reductions_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not end one to begin the next: what is left of the first is logged, and the exit code is the signal's."""

    def interrupt(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(RunProgress, "show_more", interrupt)
    only = ["--only", SINGLE, "--only", "GeneratedTest/sync/mean_float_inner_axes_kept"]
    run = nnvet("run", "-d", "zoo:accepts-everything", "--in-process", *only, "--reduce", "--out", tmp_path)
    assert run.exit_code == 128 + signal.SIGINT, run.output
    log = read_log(tmp_path / "run.jsonl")
    assert (len(log.results), len(log.reductions), log.finished) == (2, 1, None)
    assert len([result for result in log.results.values() if "vector" in result.evidence]) == 2


TELLING = """
import os

with open({place!r}, "a") as file:
    file.write(str(os.getpid()) + chr(10))
"""
"""Line with which a spec reports the processes that have loaded it."""


@pytest.mark.long
def test_specs_of_users_are_kept_and_reduced_without_being_loaded_here(chain: Path, tmp_path: Path) -> None:
    """The worker sends the test; the process of the runner, which is this one, does not execute the file."""
    place = tmp_path / "loaded_by"
    chain.write_text(TELLING.format(place=str(place)) + chain.read_text())
    out = tmp_path / "out"
    selector = f"python:{chain.parent / 'bad.py'}:Dying"
    only = ["--specs", chain, "--only", "GeneratedTest/sync/*"]
    run = nnvet("run", "-d", selector, *only, "--reduce", "--out", out)
    assert run.exit_code == 1, run.output
    log = read_log(out / "run.jsonl")
    (failed,) = log.results.values()
    assert failed.evidence["vector"] == f"failures/{failed.fingerprint}/vector.json"
    (small,) = log.reductions
    assert (small.cases, small.operations, [operation.name for operation in small.graph]) == (
        (failed.case,),
        3,
        ["FLOOR"],
    )
    loaded_by = place.read_text().split()
    assert loaded_by
    assert str(os.getpid()) not in loaded_by
