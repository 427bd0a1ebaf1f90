"""``nnvet bundle`` and ``nnvet judge``: what a vendor without nnvet sends back gets the verdicts of a driver here."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from nnvet.conformance.checking import check_driver
from nnvet.graphs.vector import read_vector
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.adapters.file_runners import CASES, RELU
from tests.commands.test_utilities import nnvet, words

pytest.importorskip("flatbuffers", reason="needs the litert extra")

SELECTION = {
    "litert": (
        "GeneratedTest/sync/topk_v2_basic_rows*",
        "GeneratedTest/sync/relu_quant8_signed_fine_scale",
        "GeneratedTest/sync/equal_bool_*",
        "GeneratedTest/sync/if_branches_input_then",
        "GeneratedTest/sync/relu_zero_sized_empty_batch",
    ),
    "onnxruntime": (
        "GeneratedTest/sync/topk_v2_basic_rows*",
        "GeneratedTest/sync/relu_float16_rank1_*",
        "GeneratedTest/sync/if_branches_input_then",
        "GeneratedTest/sync/relu_zero_sized_empty_batch",
    ),
}
"""Cases with several outputs and inputs, without elements, of truth values, and one that has no form."""
WITHOUT_NNVET = "import importlib.util, runpy, sys; assert importlib.util.find_spec('nnvet') is None"
RUN_IT = "del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
FORMS = {"litert": ("tflite", "ai_edge_litert.interpreter"), "onnxruntime": ("onnx", "onnxruntime")}


def options(cases: tuple[str, ...]) -> list[str]:
    """The options that select cases."""
    return [part for case in cases for part in ("--only", case)]


def made(folder: Path, form: str, cases: tuple[str, ...]) -> Path:
    """A bundle of cases."""
    result = nnvet("bundle", "--as", form, "--out", folder, *options(cases))
    assert result.exit_code == 0, words(result)
    return folder


def judged(folder: Path, *arguments: str) -> Mapping[str, tuple[Verdict, str]]:
    """Verdicts and reasons of all cases of a bundle."""
    out = folder.with_name("judged")
    nnvet("judge", folder, "--out", out, *arguments)
    return {case: (result.verdict, result.reason) for case, result in read_log(out / "run.jsonl").results.items()}


@pytest.fixture
def relu(tmp_path: Path) -> str:
    """The command of a runner of RELU."""
    script = tmp_path / "relu.py"
    script.write_text(RELU)
    return shlex.join([sys.executable, str(script)])


def site_without_nnvet(folder: Path) -> Path:
    """The packages of this environment but nnvet, as somebody has them who only runs models."""
    site = folder / "site"
    site.mkdir()
    for entry in Path(np.__file__).parents[1].iterdir():
        if "nnvet" not in entry.name:
            (site / entry.name).symlink_to(entry)
    return site


@pytest.mark.sampled(2)
@pytest.mark.parametrize("runtime", FORMS)
def test_verdicts_are_those_of_the_adapter(runtime: str, tmp_path: Path) -> None:
    """The runner of the bundle, in one run for all cases where nnvet is not, gets the verdicts of the runtime here."""
    form, module = FORMS[runtime]
    pytest.importorskip(module, reason=f"needs {runtime}")
    folder = made(tmp_path / "bundle", form, SELECTION[runtime])
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"{WITHOUT_NNVET}; {RUN_IT}", folder / "runner.py", folder],
        env={"PYTHONPATH": str(site_without_nnvet(tmp_path))},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    expected = check_driver(runtime, only=SELECTION[runtime]).log.results
    found = judged(folder)
    assert {case: verdict for case, (verdict, _) in found.items()} == {
        case: result.verdict for case, result in expected.items()
    }
    assert {Verdict.PASS, Verdict.UNSUPPORTED} <= {verdict for verdict, _ in found.values()}


@pytest.mark.long
@pytest.mark.parametrize("runtime", FORMS)
def test_a_runner_is_a_driver(runtime: str, tmp_path: Path) -> None:
    """As the command of `files:`, it gets the verdicts of the runtime as a driver."""
    form, module = FORMS[runtime]
    pytest.importorskip(module, reason=f"needs {runtime}")
    runner = made(tmp_path / "bundle", form, CASES[:1]) / "runner.py"
    command = shlex.join([sys.executable, str(runner)])
    found = check_driver(f"files:{command},format={form},batch=20", only=SELECTION[runtime]).log.results
    expected = check_driver(runtime, only=SELECTION[runtime]).log.results
    assert {case: outcome.verdict for case, outcome in found.items()} == {
        case: outcome.verdict for case, outcome in expected.items()
    }
    assert Verdict.PASS in {outcome.verdict for outcome in found.values()}


def test_single_cases_to_blame_are_found(tmp_path: Path, relu: str) -> None:
    """One case that kills the run of all, one that hangs it, and one that is forgotten: each ends as it is alone."""
    folder = made(tmp_path / "bundle", "tflite", CASES)
    command = f"{relu} 1=dies 2=hangs 3=forgets"
    results = judged(folder, "--command", command, "--timeout", "3")
    found = [results[case] for case in CASES]
    assert [verdict for verdict, _ in found] == [Verdict.CRASH, Verdict.HANG, Verdict.FAIL, Verdict.PASS]
    assert found[0][1] == "the command was killed by SIGABRT"
    assert found[1][1] == "the command has not ended within 3 s"
    assert "there is no output 00002/output0.bin" in found[2][1]


def test_a_run_asks_in_batches(tmp_path: Path, relu: str) -> None:
    """Executions of several cases run once, in runs of the command of three at most; the log names the plain driver."""
    selector = f"files:{relu} 1=copies diary={tmp_path / 'diary'},batch=3"
    cases = (*CASES, CASES[3].replace("sync", "async"))
    nnvet("run", "-d", selector, "--out", tmp_path / "a, b", *options(cases))
    log = read_log(tmp_path / "a, b" / "run.jsonl")
    verdicts = [log.results[case].verdict for case in cases]
    assert verdicts == [Verdict.FAIL, Verdict.PASS, Verdict.PASS, Verdict.PASS, Verdict.PASS]
    assert (tmp_path / "diary").read_text() == "3 1 "
    assert log.started.driver.selector == selector


def test_nothing_is_right_by_itself(tmp_path: Path, relu: str) -> None:
    """Outputs that are the inputs fail; a word of the runner is taken as one."""
    folder = made(tmp_path / "bundle", "tflite", CASES)
    subprocess.run([*shlex.split(relu), "1=copies", "2=fails", "3=refuses", folder], check=True)
    results = judged(folder)
    found = [results[case] for case in CASES]
    assert [verdict for verdict, _ in found] == [Verdict.FAIL, Verdict.FAIL, Verdict.UNSUPPORTED, Verdict.PASS]
    assert "the runner says: rank too low" in found[1][1]


def test_outputs_may_be_npy(tmp_path: Path) -> None:
    """Arrays of NumPy are read in place of raw numbers; one of another type is refused."""
    folder = made(tmp_path / "bundle", "tflite", CASES[:2])
    for case, dtype in zip(json.loads((folder / "manifest.json").read_text())["cases"], ("f4", "f8"), strict=True):
        (given,), (due,) = case["inputs"], case["outputs"]
        value = np.fromfile(folder / given["file"], given["dtype"]).reshape(given["shape"])
        np.save((folder / due["file"]).with_suffix(".npy"), np.maximum(value, 0).astype(dtype))
    (right, _), (wrong, reason) = judged(folder).values()
    assert (right, wrong) == (Verdict.PASS, Verdict.FAIL)
    assert "as .npy is " in reason
    assert "float64, not " in reason


@pytest.mark.parametrize("changed", ["00000/input0.bin", "manifest.json"])
def test_changed_questions_are_noticed(tmp_path: Path, changed: str) -> None:
    """Inputs and manifest have digests that the sender keeps."""
    folder = made(tmp_path / "bundle", "tflite", CASES[:1])
    content = (folder / changed).read_bytes()
    (folder / changed).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    result = nnvet("judge", folder, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert f"{changed} is not as it was " in words(result)


def test_vectors_have_no_expected_values(tmp_path: Path) -> None:
    """Models of every kind have that form; what is expected, and the names of the cases, stay here."""
    folder = made(tmp_path / "bundle", "nnvet-vectors", (*CASES[:1], "GeneratedTest/sync/if_branches_input_then"))
    cases = json.loads((folder / "manifest.json").read_text())["cases"]
    tests = [read_vector(folder / case["model"])[0] for case in cases]
    assert len({len(test.referenced) for test in tests}) == 2, "with branches, and without"
    assert all(output.data is None for test in tests for output in test.main.outputs)
    assert all(value.data is not None for test in tests for value in test.main.inputs)
    assert not any("relu" in path.read_text() for path in folder.rglob("*.json") if path.name != "judge.json")
    relu = next(number for number, test in enumerate(tests) if not test.referenced)
    (given,), (due,) = tests[relu].main.inputs, cases[relu]["outputs"]
    np.maximum(given.data, 0).tofile(folder / due["file"])
    assert {case: verdict for case, (verdict, _) in judged(folder).items() if verdict is Verdict.PASS} == {
        CASES[0]: Verdict.PASS
    }


COMPILER = shutil.which("cc") or ""
COPIES = """
#include <string.h>

int run_model(const void *model, size_t size, void *const *inputs, int input_count, void *const *outputs,
              int output_count) {
  if (input_count != 1 || output_count != 1 || memcmp((const char *)model + 4, "TFL3", 4) != 0) return 1;
  memcpy(outputs[0], inputs[0], BYTES);
  return 0;
}
"""


@pytest.mark.skipif(not COMPILER, reason="needs a compiler of C")
def test_runner_in_c(tmp_path: Path) -> None:
    """The runner in C, with a runtime that copies: right for RESHAPE, and nothing else."""
    cases = ("GeneratedTest/sync/reshape_basic_flatten", CASES[3])
    folder = made(tmp_path / "bundle", "tflite", cases)
    sizes = {case["inputs"][0]["sha256"]: case for case in json.loads((folder / "manifest.json").read_text())["cases"]}
    smallest = min((folder / case["inputs"][0]["file"]).stat().st_size for case in sizes.values())
    (tmp_path / "copies.c").write_text(f"#include <stddef.h>\n#define BYTES {smallest}\n{COPIES}")
    sources = [folder / "runner.c", tmp_path / "copies.c"]
    subprocess.run(
        [COMPILER, "-Wall", "-Werror", "-fsanitize=address", *sources, "-o", tmp_path / "runner"], check=True
    )
    subprocess.run([tmp_path / "runner", folder], check=True, env={"ASAN_OPTIONS": "detect_leaks=0"})
    results = judged(folder)
    assert [results[case][0] for case in cases] == [Verdict.PASS, Verdict.FAIL]


def test_wrong_bundles(tmp_path: Path) -> None:
    """A folder that is in use, a form that there is not, cases without a model, and a folder that is no bundle."""
    (tmp_path / "a").write_text("")
    for arguments, message in (
        (("bundle", "--as", "tflite", "--out", tmp_path, *options(CASES)), "it is not empty; a bundle needs a new"),
        (("bundle", "--as", "tosa"), "--as tosa: choose tflite, onnx, nnvet-vectors"),
        (("bundle", "--only", "BasicTest/*", "--out", tmp_path / "b"), "a bundle holds cases that run a model alone"),
        (("judge", tmp_path), "manifest.json cannot be read: No such file or directory; make it with nnvet bundle"),
    ):
        result = nnvet(*arguments)
        assert result.exit_code == 2
        assert message in words(result)
