"""Every exit code that docs/reports.md names for a command is one that the command ends with."""

import re
import signal
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from nnvet.commands import main
from nnvet.conformance.profiles.statement import write_statement
from nnvet.fuzz.runner import FuzzingJob
from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.log import FILE_NAME, EventLog, read_log
from nnvet.reports.outcome import EXIT_NOT_CONFORMANT, EXIT_SPEC, EXIT_SUITE_FAILED, EXIT_USAGE
from tests.commands.test_utilities import nnvet, words
from tests.docs.test_exit_codes import signals, table

COMMANDS: Final = tuple(typer.main.get_command(main.app).commands)  # type: ignore[attr-defined]
HEADER: Final = RunStarted("0.1.0", DriverFacts("reference"), "2026-11-23T04:00:00Z")

FILES: Final = {
    # A driver that takes every model and prepares none.
    "raises.py": """
from nnvet.reference_driver.device import ReferenceDevice
from nnvet.reference_driver.device import VARIANTS

class Raises(ReferenceDevice):
    def __init__(self):
        super().__init__(VARIANTS[""])

    def prepare_model(self, *_, **__):
        raise RuntimeError("never")
""",
    # RELU of 1 is not 2; and no number at all.
    "false.mod.py": """
a, b = Input("a", ("TENSOR_FLOAT32", [1])), Output("b", ("TENSOR_FLOAT32", [1]))
Example({a: [1.0], b: [2.0]}, model=Model("m").Operation("RELU", a).To(b))
""",
    "wrong.mod.py": """
a, b = Input("a", ("TENSOR_FLOAT32", [1])), Output("b", ("TENSOR_FLOAT32", [1]))
Example({a: ["x"], b: [2.0]}, model=Model("m").Operation("RELU", a).To(b))
""",
}
ABS: Final = "TestRandomGraph/SingleOperationTest.ABS_V1_2/0"
RAISES: Final = "-d python:raises.py:Raises"

ENDINGS: Final = {
    (EXIT_NOT_CONFORMANT, "run"): f"run {RAISES} --in-process --only {ABS}",
    (EXIT_NOT_CONFORMANT, "random"): f"random {RAISES} --in-process --count 1 --operations 1-1",
    (EXIT_NOT_CONFORMANT, "bench"): (
        f"bench {RAISES} --in-process --only mobilenet_v1_0.2_64_quant --seconds 0 --warm-up 0"
    ),
    (EXIT_NOT_CONFORMANT, "stress"): f"stress {RAISES} --only MemoryMappedModelLoad --scale 0.05",
    (EXIT_NOT_CONFORMANT, "fuzz"): f"fuzz model {RAISES} --input raises.py",
    (EXIT_NOT_CONFORMANT, "smoke"): f"smoke {RAISES}",
    (EXIT_NOT_CONFORMANT, "replay"): "replay false.mod.py -d reference --in-process",
    # The spec expects what the oracle does not.
    (EXIT_NOT_CONFORMANT, "reduce"): "reduce false.mod.py -d reference --in-process",
    (EXIT_NOT_CONFORMANT, "diff"): "diff good.jsonl bad.jsonl",
    (EXIT_NOT_CONFORMANT, "upgrade"): f"upgrade -d reference {RAISES} --in-process --only {ABS}",
    # No whole run stands behind the log; the statement is of the other log.
    (EXIT_NOT_CONFORMANT, "report"): "report good.jsonl --out again --profile caching",
    # Nobody has sent outputs back.
    (EXIT_NOT_CONFORMANT, "judge"): "judge bundle",
    (EXIT_NOT_CONFORMANT, "verify"): "verify result.json --log bad.jsonl",
    (EXIT_SUITE_FAILED, "run"): f"run -d reference:minimal --in-process --only {ABS}",
    (EXIT_SUITE_FAILED, "replay"): f"replay {ABS} -d reference:minimal --in-process",
    (EXIT_SPEC, "run"): "run -d reference --in-process --specs wrong.mod.py --only GeneratedTest/sync/*",
    (EXIT_SPEC, "replay"): "replay GeneratedTest/sync/wrong_m -d reference --in-process --specs wrong.mod.py",
}
"""Command lines by the exit code that they end with and the command that the page names."""

SIGNALLED: Final = {
    "run": ("commands.actions.run.execute_plan", f"run -d reference --only {ABS}"),
    "random": ("commands.actions.run.execute_plan", "random -d reference --count 1"),
    "bench": ("commands.actions.run.execute_plan", "bench -d reference"),
    "stress": ("commands.actions.stress.run_stress", "stress -d reference --only MemoryMappedModelLoad"),
    "reduce": ("commands.actions.replay.reduce_and_save", "reduce false.mod.py -d reference"),
    "fuzz": ("commands.actions.fuzz.run_job", "fuzz model -d reference"),
    "upgrade": ("commands.actions.run.execute_plan", f"upgrade -d reference -d reference:minimal --only {ABS}"),
}
"""Function that each command is in when the signal comes, and a command line."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the files and two logs."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for name, verdict in {"good": Verdict.PASS, "bad": Verdict.FAIL}.items():
        with EventLog.create(f"{name}.jsonl", HEADER) as log:
            log.case_started("a")
            log.case_finished("a", verdict)
            log.finish(0 if verdict is Verdict.PASS else 1)
    write_statement(read_log(tmp_path / "good.jsonl"), tmp_path)
    return tmp_path


def test_the_tables_here_are_those_of_the_page() -> None:
    """Each command that a row names has a command line here."""
    named = {(code, name) for code, (_, text) in table().items() for name in re.findall(r"`([\w-]+)`", text)}
    codes = {EXIT_NOT_CONFORMANT, EXIT_SPEC}
    assert {pair for pair in ENDINGS if pair[0] in codes} == {pair for pair in named if pair[0] in codes}
    assert set(SIGNALLED) == set(re.findall(r"`([\w-]+)`", signals()))
    assert {code for code, (_, text) in table().items() if text == "all"} == {0, EXIT_USAGE, EXIT_SUITE_FAILED}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("code", "command"), ENDINGS)
def test_codes_of_commands(code: int, command: str) -> None:
    """As the page says."""
    if command == "fuzz":
        pytest.importorskip("atheris")
    if command == "judge":
        made = nnvet(
            *["bundle", "--as", "nnvet-vectors", "--only", "GeneratedTest/sync/relu_float_rank4", "--out", "bundle"]
        )
        assert made.exit_code == 0, made.output
    result = nnvet(*ENDINGS[code, command].split())
    # An exception that nobody has caught would be code 1, too.
    assert (result.exit_code, type(result.exception)) == (code, SystemExit), result.output


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", COMMANDS)
def test_help_and_usage_errors(command: str) -> None:
    """Every command: 0 if it has done what it was to do, 2 for an option that there is none of."""
    assert nnvet(command, "--help").exit_code == 0
    result = nnvet(command, "--no-such-option")
    assert (result.exit_code, "No such option" in words(result)) == (EXIT_USAGE, True)


def test_an_internal_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of any command: one line that says where."""

    def broken(**_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(main, "app", broken)
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == EXIT_SUITE_FAILED
    printed = capsys.readouterr().err
    assert re.fullmatch(
        r"nnvet: internal error, ZeroDivisionError: by nothing \(\S+:\d+\); please report it\n", printed
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", SIGNALLED)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals(command: str, number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """128 and the number of the signal."""
    if command == "fuzz":
        pytest.importorskip("atheris")

    def signalled(*arguments: Any) -> None:
        if isinstance(arguments[0], FuzzingJob):
            with EventLog.create(arguments[0].out / FILE_NAME, HEADER):
                pass
        signal.raise_signal(number)

    place, words_of = SIGNALLED[command]
    monkeypatch.setattr(f"nnvet.{place}", signalled)
    assert nnvet(*words_of.split()).exit_code == 128 + number
