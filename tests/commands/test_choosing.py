"""Choice of the cases of ``nnvet run`` by --op, --suite and --last-failed, and --list."""

from pathlib import Path

import pytest

from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet, words

SPEC = """
a, b = Input("a", ("TENSOR_FLOAT32", [2])), Output("b", ("TENSOR_FLOAT32", [2]))
Model().Operation("{operation}", a).To(b)
Example({{a: [0.0, 1.0], b: [{results}]}}).DisableLifeTimeVariation()
"""


def write(folder: Path, name: str, operation: str, *results: float) -> None:
    """A spec of one case; of wrong results every driver fails."""
    text = SPEC.format(operation=operation, results=", ".join(map(str, results)))
    (folder / f"{name}.mod.py").write_text(text)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """RELU and ABS, and a FLOOR whose expected values are wrong."""
    folder = tmp_path / "V1_0"
    folder.mkdir()
    write(folder, "first", "RELU", 0.0, 1.0)
    write(folder, "second", "ABS", 0.0, 1.0)
    write(folder, "third", "FLOOR", 5.0, 5.0)
    return tmp_path


def listed(specs: Path, *options: str) -> list[str]:
    """Arguments of the sync cases that are listed; nothing is run."""
    out = specs / "nothing"
    result = nnvet("run", "--specs", specs, "--list", "--out", out, *options)
    assert result.exit_code == 0, result.output
    assert not out.exists()
    return [line.split("/")[2] for line in result.stdout.splitlines() if line.startswith("GeneratedTest/sync/")]


def test_operations(specs: Path) -> None:
    """Only cases that exercise one of them, whose names may be globs and lower case."""
    assert listed(specs) == ["first", "second", "third"]
    assert listed(specs, "--op", "RELU") == ["first"]
    assert listed(specs, "--op", "relu", "--op", "FLO*") == ["first", "third"]


@pytest.mark.parametrize(
    ("suite", "operation", "case", "other"),
    [
        ("Accuracy", "FULLY_CONNECTED", "DotProduct/FULLY_CONNECTED.float32.zeros", "DotProduct/CONV_2D.float32.zeros"),
        ("OperationValidationTest", "MUL", "Agreement/MUL_quant8_bad_output_scale", "Agreement/PACK_quant8_bad_scale"),
        (
            "OperationValidationTest",
            "DEPTH_TO_SPACE",
            "Types/DEPTH_TO_SPACE_TENSOR_FLOAT32",
            "Types/ADD_TENSOR_FLOAT32",
        ),
    ],
)
def test_checks_of_an_operation(suite: str, operation: str, case: str, other: str) -> None:
    """Checks that go through operations have those of the name alone."""
    everything = nnvet("run", "--suite", suite, "--list").stdout.splitlines()
    chosen = nnvet("run", "--suite", suite, "--op", operation, "--list").stdout.splitlines()
    assert {f"{suite}/{case}", f"{suite}/{other}"} <= set(everything)
    assert f"{suite}/{case}" in chosen
    assert f"{suite}/{other}" not in chosen


def test_suites_and_numbers(specs: Path) -> None:
    """A suite is all of its cases; how many there are is said beside the ids."""
    result = nnvet("run", "--specs", specs, "--list", "--suite", "GeneratedTest", "--only", "None/*")
    assert {line.split("/")[0] for line in result.stdout.splitlines()} == {"GeneratedTest"}
    assert [str(len(result.stdout.splitlines())), "in", "all"] in map(str.split, result.stderr.splitlines())
    assert "no case is selected by --only None/*" in result.stderr


def test_what_failed_last(specs: Path, tmp_path: Path) -> None:
    """Its cases and no others run; what passes then is not run a third time."""
    out = tmp_path / "out"
    command = ("run", "--specs", specs, "--only", "GeneratedTest/sync/*", "--out", out)
    assert nnvet(*command).exit_code == 1
    assert len(read_log(out / "run.jsonl").results) == 3
    assert nnvet(*command, "--last-failed").exit_code == 1
    assert list(read_log(out / "run.jsonl").results) == ["GeneratedTest/sync/third"]
    write(specs / "V1_0", "third", "FLOOR", 0.0, 1.0)
    assert nnvet(*command, "--last-failed").exit_code == 0
    result = nnvet(*command, "--last-failed")
    assert result.exit_code == 2
    assert "no selected case has failed; run without --last-failed" in words(result)


def test_a_file_that_could_not_be_loaded_is_what_failed_last(specs: Path, tmp_path: Path) -> None:
    """Once it is mended all of its cases run, and no others."""
    out = tmp_path / "out"
    command = ("run", "--specs", specs, "--only", "GeneratedTest/sync/*", "--out", out)
    (specs / "V1_0" / "third.mod.py").write_text("Model(")
    assert nnvet(*command).exit_code == 4
    write(specs / "V1_0", "third", "FLOOR", 0.0, 1.0)
    assert nnvet("run", "--specs", specs, "--out", out, "--last-failed").exit_code == 0
    cases = read_log(out / "run.jsonl").results
    assert "GeneratedTest/sync/third" in cases
    assert {case.split("/")[2].removeprefix("third") for case in cases} == {""}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--op", "CONV_3D"), "no operation matches 'CONV_3D'; the nearest are CONV_2D"),
        (("--suite", "BasicTst"), "no suite matches 'BasicTst'; the nearest are BasicTest"),
        (("--last-failed", "--resume"), "choose one"),
        (("--last-failed", "--out", "absent"), "absent/run.jsonl"),
        (("--suite", "BasicTest", "--op", "ADD"), "no case is selected by --only BasicTest/* --op ADD"),
    ],
    ids=lambda value: value[0].strip("-") if isinstance(value, tuple) else "",
)
def test_what_selects_nothing_says_what_to_write(options: tuple[str, ...], said: str) -> None:
    """Exit code 2 and one line."""
    result = nnvet("run", "--list", *options)
    assert result.exit_code == 2
    assert said in words(result)


@pytest.mark.parametrize("listing", [("--list",), pytest.param((), marks=pytest.mark.long)], ids=["list", "run"])
def test_globs_that_match_nothing_beside_others(listing: tuple[str, ...], tmp_path: Path) -> None:
    """The names that a misspelt glob may have meant are printed; cases that the others match run."""
    globs = ("BasicTest/CircleTest", "BasicTest/GetCapabilities*", "BasicTest/GetTypTest", "ConsistencyTest/*")
    chosen = [part for glob in globs for part in ("--only", glob)]
    said = nnvet("run", *chosen, *listing, "--out", tmp_path).output
    idle = [line for line in said.splitlines() if line.startswith("nnvet: no case is selected")]
    named = [line.partition("--only ")[2].split()[0].removesuffix(";") for line in idle]
    assert named == [globs[0], globs[2], globs[3]]
    assert "the nearest ids are BasicTest/CycleTest" in idle[0]
    assert "add --full" in idle[2]


def test_shards_may_leave_out_what_a_glob_means(tmp_path: Path) -> None:
    """Nothing is said of what another shard has."""
    chosen = ("--only", "BasicTest/CycleTest", "--only", "BasicTest/GetCapabilitiesTest")
    said = [nnvet("run", *chosen, "--list", "--shard", f"{shard}/8", "--out", tmp_path).output for shard in range(1, 9)]
    assert not any("--only BasicTest" in line for line in said if "in all" in line)
