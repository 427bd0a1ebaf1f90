"""Messages about mistakes of users: one line that says what, where and what to do; no traceback.

Every command runs in a folder that holds the wrong things of :data:`FILES`.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import Result

from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet, words
from tests.models.toys.folder import write_toys

SPEC = """
for size in (1, 2):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5][-size:], b: [0.0, 2.5][-size:]}, model=model).DisableLifeTimeVariation()
"""
FILES = {
    "relu.mod.py": SPEC,
    "broken.mod.py": "x = 1\nraise KeyError('absent')\n",
    "unfinished.mod.py": "Model(\n",
    "nothing.mod.py": "",
    "syntax.py": "class Driver(:\n",
    "dying.py": "class Driver:\n    def __init__(self):\n        raise RuntimeError('no board')\n",
    "driver.py": "from nnvet.driver_kit.base_device import BaseDevice\n\n\nclass Driver(BaseDevice):\n    pass\n",
    "importing.py": "import there_is_no_such_module\n",
    "words.txt": "nothing of ours\n",
    "empty.jsonl": "",
    "later.jsonl": '{"event": "case_started", "case": "a"}\n',
}

MISTAKES = {
    "run -d quantum:7": (
        "driver 'quantum:7'",
        "no kind 'quantum'",
        "kinds are adb, answers, exec, files, ",
        "python, reference, sl, ",
        "torch, unix",
    ),
    "run -d python": ("driver 'python'", "arguments are missing", "write python:MODULE:FACTORY or python:FILE.py:"),
    "run -d reference:tiny": ("driver 'reference:tiny'", "no variant 'tiny'", "it has float_fast, float_slow, minimal"),
    "run -d zoo:none": ("driver 'zoo:none'", "no bug 'none'", "nnvet zoo lists them"),
    "run -d zoo:cache-read-twise": ("no bug 'cache-read-twise'; the nearest are cache-read-twice, ",),
    "run -d python:syntax.py:Driver": ("driver 'python:syntax.py:Driver'", "SyntaxError", "syntax.py, line 1"),
    "run -d python:dying.py:Driver": ("driver 'python:dying.py:Driver'", "RuntimeError: no board", "dying.py, line 3"),
    "run -d python:importing.py:Driver": ("importing.py, line 1", "No module named 'there_is_no_such_module'"),
    "run -d python:driver.py:Missing": ("driver.py has no function or class 'Missing'", "it has Driver"),
    "run -d python:absent.py:Driver": ("'python:absent.py:Driver'", "there is no file /", "absent.py"),
    "run -d python:absent.module:Driver": ("No module named 'absent'", "write python:FILE.py:FACTORY"),
    "run -d unix:absent.sock": ("driver 'unix:absent.sock'", "No such file", "start the service first"),
    "run -d unix:words.txt": ("driver 'unix:words.txt'", "Connection refused", "start the service first"),
    "run -d exec:./absent": ("driver 'exec:./absent'", "No such file", "give a program that can be executed"),
    "run -d exec:./words.txt": (
        "driver 'exec:./words.txt'",
        "Permission denied",
        "give a program that can be executed",
    ),
    "bench -d quantum": ("driver 'quantum'", "kinds are"),
    "serve -d quantum": ("driver 'quantum'", "kinds are"),
    "serve --socket absent/a.sock": ("cannot serve on absent/a.sock", "No such file", "choose another path"),
    "run --only GeneratedTest/sync/add_relu": (
        "no case is selected by --only GeneratedTest/sync/add_relu",
        "the nearest ids are GeneratedTest/sync/add_float_activation_relu, ",
    ),
    "run --only BasicTest/GetCapabilties": ("no case is selected", "nearest ids are BasicTest/GetCapabilitiesTest"),
    "run --only Nonsense/*": ("no case is selected by --only Nonsense/*", "look at --only, --op, --level and --shard"),
    "run --specs relu.mod.py --only GeneratedTest/sync/relu_of": ("nearest ids are GeneratedTest/sync/relu_of_1",),
    "run --specs relu.mod.py --only ConsistencyTest/*": ("ConsistencyTest/* is not in the usual run", "add --full"),
    "run --shard 3/2": ("--shard 3/2", "write I/N with I from 1 to N"),
    "run --specs absent": ("absent: there is no such file or folder of specs",),
    "run --specs folder": ("folder: no spec files (*.mod.py) there",),
    "run --only BasicTest/* --out words.txt": ("words.txt: cannot be the folder of the results", "another --out"),
    "run --only BasicTest/* --out words.txt/a": ("words.txt/a: cannot be the folder of the results", "another --out"),
    "run --trace absent/trace": ("--trace absent/trace cannot be written", "No such file"),
    "run --trace trace -n 2": ("--trace is for one driver", "use one -d, and -n 1"),
    "bench --models absent": ("absent/models_list: there is no model list", "give the folder that holds it"),
    "report absent.jsonl": ("absent.jsonl: cannot read the log", "No such file", "give the run.jsonl of a run"),
    "report folder": ("folder/run.jsonl: cannot read the log", "No such file", "give the run.jsonl of a run"),
    "report words.txt": ("words.txt:1: not an event of a log", "give the run.jsonl of a run"),
    "report empty.jsonl": ("empty.jsonl: no events", "give the run.jsonl of a run"),
    "report later.jsonl": ("later.jsonl:1: ", "run_started event, as its first line"),
    "diff words.txt empty.jsonl": ("words.txt:1: not an event of a log", "give the run.jsonl of a run"),
    "rules NOPE": ("no rule matches 'NOPE'", "without a name all of them are listed"),
    "rules CONV_2D/bias.lenght": ("no rule matches 'CONV_2D/bias.lenght'", "the nearest are CONV_2D/bias.length"),
    "zoo cache-read-twise": ("no bug matches 'cache-read-twise'", "the nearest are cache-read-twice"),
    "run -d reference -d nope": ("there is no kind 'nope'", "kinds are"),
    "bench -d reference -d nope": ("there is no kind 'nope'", "kinds are"),
    "run -d reference -d reference": ("-d reference is given twice", "one folder"),
    f"run --only BasicTest/* --out {'o' * 300}": ("cannot be the folder of the results", "File name too long"),
    f"new-driver {'n' * 300}": ("cannot be made", "File name too long"),
    "new-driver my-npu --in words.txt": ("words.txt/my-npu: cannot be made", "Not a directory"),
    "triage words.txt": ("words.txt:1: not an event of a log", "give the run.jsonl of a run"),
    "history folder": ("folder/history.jsonl: cannot read the history", "give the folder of nnvet run --history"),
    "scoreboard words.txt": ("words.txt:1: not an event of a log", "give the run.jsonl of a run"),
    "smoke -d python:absent.py:X": ("there is no file", "absent.py"),
    "smoke -d exec:folder": ("cannot start the service", "give a program that can be executed"),
    "export-driver -d reference --out folder": ("folder cannot be written", "Is a directory"),
    "graph absent.mod.py": ("there is no spec file absent.mod.py", "write SPEC or SPEC:CASE"),
    "graph relu.mod.py:absent": ("relu.mod.py has no case 'absent'", "it has relu_of_1, relu_of_2"),
    "graph relu.mod.py --out g.png": ("--out g.png: no drawing can be written as .png", "write FILE.dot or FILE.svg"),
    "graph relu.mod.py --out absent/g.dot": ("absent/g.dot cannot be written", "No such file"),
    "graph broken.mod.py": ("broken.mod.py:2: KeyError: 'absent'",),
    "graph unfinished.mod.py": ("unfinished.mod.py:1: not a Python program",),
    "graph nothing.mod.py": ("nothing.mod.py has no case '*'", "it has none"),
    "export absent.mod.py": ("there is no spec file absent.mod.py", "write SPEC or SPEC:CASE"),
    "export relu.mod.py --out folder": ("folder cannot be written", "Is a directory"),
}
"""Commands, and the parts of the one line that they print."""

OPTIONS = {
    "run --timeout inf": ("'--timeout'", "86400"),
    "run --timeout nan": ("'--timeout'",),
    "run --timeout soon": ("'--timeout'", "valid number"),
    "run --level 9": ("'--level'", "8"),
    "run --budget soon": ("'--budget'", "'soon' is no time: say 10ms, 90, 90s, 15m or 1.5h"),
    "run -n 0": ("'-n'", "1"),
    "run --in-proces": ("--in-proces", "--in-process"),
    "repport": ("'repport'", "--help"),
}
"""Commands that the parser of arguments refuses, and the parts of its message."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user is in a folder with :data:`FILES` and an empty ``folder``."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("command", "parts"), MISTAKES.items(), ids=MISTAKES)
def test_mistakes_are_one_line(command: str, parts: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    """One line, exit code 2, and nothing written that looks like the results of a run."""
    if command.startswith("serve"):
        # A service needs a process of its own.
        code = subprocess.run([sys.executable, "-m", "nnvet.commands", *command.split()], check=False).returncode
        output = capfd.readouterr().err
    else:
        result = nnvet(*command.split())
        code, output = result.exit_code, result.output
    lines = output.splitlines()
    assert (len(lines), code) == (1, 2), lines
    assert lines[0].startswith("nnvet: ")
    for part in parts:
        assert part in lines[0]
    assert not list(Path().rglob("run.jsonl"))


@pytest.mark.parametrize(("command", "parts"), OPTIONS.items(), ids=OPTIONS)
def test_options_that_are_none(command: str, parts: tuple[str, ...]) -> None:
    """The option and what it takes, and exit code 2."""
    result = nnvet(*command.split())
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    for part in parts:
        assert part in words(result)


def lines_of(result: Result) -> list[str]:
    """Return the output, line by line."""
    assert "Traceback" not in result.output
    return [line.strip() for line in result.output.splitlines()]


def has_reports(out: str) -> bool:
    """Return True if a run has left everything that it should."""
    return all((Path(out) / name).stat().st_size for name in ("run.jsonl", "report.html", "junit.xml", "summary.md"))


@pytest.mark.parametrize("command", ["run -n 1", "run -n 2", "run --bench", "bench"])
def test_a_program_that_speaks_nothing(command: str) -> None:
    """A program that ends at once is CRASH and not conformant, with all reports; no case is NOT_RUN."""
    result = nnvet(*command.split(), "-d", "exec:/bin/false", "--out", "out")
    said = lines_of(result)
    assert result.exit_code == 1
    assert sum("CRASH driver/start  driver/crash: handshake: exited with status 1; " in line for line in said) == 1
    assert any("has to speak docs/protocol.md on the descriptor that NNVET_SOCKET_FD names" in line for line in said)
    assert "the driver does not start: no case was run" in said
    assert "NOT_RUN" not in result.output
    assert has_reports("out")
    log = read_log("out/run.jsonl")
    assert {result.case.partition("#")[0] for result in log.results.values()} == {"driver/start"}
    assert "--only 'BasicTest/*'" in log.results["driver/start"].evidence["replay"]


def test_last_words_of_a_program() -> None:
    """The last output of a program that ended at its start is in the message."""
    service = Path("service")
    service.write_text("#!/bin/sh\necho libnpu.so: cannot open shared object file >&2\nexit 127\n")
    service.chmod(0o755)
    result = nnvet("run", "-d", "exec:./service", "--only", "BasicTest/*", "--out", "out")
    assert result.exit_code == 1
    assert "exited with status 127; last output: libnpu.so: cannot open shared object file; " in result.output


@pytest.mark.parametrize("where", ["--in-process", "--level=8"])
@pytest.mark.parametrize(
    ("spec", "reason"),
    [("broken", "broken.mod.py:2: KeyError: 'absent'"), ("unfinished", "unfinished.mod.py:1: not a Python program")],
)
def test_a_wrong_spec(spec: str, reason: str, where: str) -> None:
    """It is the spec's fault alone: exit code 4; class, file and line are on the console, the reports are written."""
    result = nnvet("run", where, "--specs", f"{spec}.mod.py", "--out", "out")
    said = lines_of(result)
    assert result.exit_code == 4
    assert any(line.startswith(f"ERROR load/{spec}.mod.py  {reason}") for line in said)
    assert "1 spec error" in said
    assert has_reports("out")


def damaged(folder: str) -> str:
    """A folder of models one of which is cut short; its name."""
    model = "toy_mobilenet_v2_float"
    write_toys(Path(folder))
    with Path(folder, f"{model}.tflite").open("r+b") as file:
        file.truncate(1000)
    return model


def test_a_damaged_model() -> None:
    """The benchmark cannot judge it, and says why on the console; with it the command that measures it again."""
    model = damaged("models")
    result = nnvet("bench", "-d", "reference", "--models", "models", "--only", model, "--out", "out", "--timeout", "9")
    assert result.exit_code == 3
    (reason,) = [line for line in lines_of(result) if line.startswith("1 case not run: ")]
    for part in (f"models/{model}.tflite: ", "(of 1000)", "the file is damaged or cut short; copy or convert it again"):
        assert part in reason
    assert has_reports("out")
    (case,) = read_log("out/run.jsonl").results.values()
    assert case.evidence["replay"] == (
        f"nnvet bench -d reference --models models --timeout 9 --only {model} --out replay"
    )


def test_models_are_looked_for_before_the_run() -> None:
    """No model is selected: nothing is run, and all names are in the message."""
    model = damaged("models")
    result = nnvet("bench", "--models", "models", "--only", "absent", "--out", "out")
    assert result.exit_code == 2
    (line,) = lines_of(result)
    assert line.startswith("nnvet: models: no model is selected by absent; there are ")
    assert model in line
    assert not Path("out").exists()


def test_of_several_drivers_the_worst_decides() -> None:
    """A driver that is not conformant decides over one that is."""
    drivers = ("-d", "exec:/bin/false", "-d", "python:driver.py:Driver")
    assert nnvet("run", *drivers, "--only", "BasicTest/*", "--out", "out").exit_code == 1
    log = read_log("out/python_driver_py_Driver/run.jsonl")
    assert log.finished is not None
    assert log.finished.exit_code == 0
