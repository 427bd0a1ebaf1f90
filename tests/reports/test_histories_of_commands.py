"""Histories of several commands: each is compared with its like. Expected changes are by hand."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.reports.events import Command, Verdict
from nnvet.reports.history import FILE, append_run, read_history
from nnvet.reports.series import series_of
from tests.commands.test_utilities import nnvet, words
from tests.models.toys.folder import write_toys
from tests.reports.past_runs import facts


def test_other_commands_are_apart() -> None:
    """A fault of one command is neither new nor fixed by what another one has run on the same driver."""
    runs = [
        facts(1, "a"),
        replace(facts(2, "b"), command=Command.STRESS),
        replace(facts(3, ""), command=Command.STRESS),
        facts(4, "a"),
        replace(facts(5, "c"), command=Command.RANDOM, selection=("RandomModels/Bounds/*",)),
    ]
    found = series_of(runs)
    assert [series.title for series in found] == [
        "acme, nnvet random, RandomModels/Bounds/*",
        "acme, usual executors",
        "acme, nnvet stress, usual executors",
    ]
    assert [(series.steps[-1].new, series.steps[-1].fixed) for series in found] == [((), ()), ((), ()), ((), ("b",))]


def test_other_random_models_fix_nothing() -> None:
    """A failure of random models is gone when as many of its seed pass; "?" is a run that cannot tell."""
    seeds = ((1, "ab"), (2, "c"), (1, "b"), (2, ""))
    days = enumerate(seeds, start=1)
    runs = [replace(facts(day, failing), command=Command.RANDOM, seed=seed) for day, (seed, failing) in days]
    (series,) = series_of(runs)
    assert [("".join(step.new), "".join(step.fixed)) for step in series.steps] == [
        ("", ""),
        ("c", ""),
        ("", "a"),
        ("", "c"),
    ]
    assert {life.fingerprint: life.states for life in series.lives} == {"a": "x?.?", "b": "x?x?", "c": "?x?."}


def test_fewer_random_models_fix_nothing() -> None:
    """Those that failed may be among the ones that were not made again."""
    fewer = replace(facts(2), counts={Verdict.PASS: 99})
    runs = [replace(run, command=Command.RANDOM, seed=1) for run in (facts(1, "a"), fewer, facts(3))]
    (series,) = series_of(runs)
    assert [step.fixed for step in series.steps] == [(), (), ("a",)]


def test_a_search_that_finds_nothing_fixes_nothing() -> None:
    """A fuzzer may meet a fault another day; what it finds anew is new once."""
    runs = [replace(facts(day, failing), command=Command.FUZZ) for day, failing in ((1, "a"), (2, "b"), (3, "a"))]
    (series,) = series_of(runs)
    assert [(step.new, step.fixed) for step in series.steps] == [((), ()), (("b",), ()), ((), ())]


def test_titles_of_many_tests() -> None:
    """The first of them, and how many more there are."""
    (series,) = series_of([facts(1, selection=("A", "B", "C", "D", "E"))])
    assert series.title == "acme, A B C and 2 more"


COMMANDS = {
    "bench --only *v1_float --seconds 0.05 --warm-up 0": Command.BENCHMARK,
    "random --count 5": Command.RANDOM,
    "stress --only ManyPreparedModels --scale 0.02": Command.STRESS,
    "fuzz request --minutes 0.1": Command.FUZZ,
}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=pytest.mark.long if command.startswith(("fuzz", "bench", "stress")) else ())
        for command in COMMANDS
    ],
)
def test_every_command_that_judges_adds_its_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs of a command are compared with each other, and not with those of another in the same history."""
    if command.startswith("fuzz") and find_spec("atheris") is None:
        pytest.skip("atheris is not installed: pip install 'nnvet[fuzz]'")
    if command.startswith("bench"):
        write_toys(tmp_path / "models")
        monkeypatch.setenv("NNVET_MODELS", str(tmp_path / "models"))
    append_run(tmp_path / "runs", facts(1, "a", selector="reference"))
    for name in "ab":
        done = nnvet(*command.split(), "--out", str(tmp_path / name), "--history", str(tmp_path / "runs"))
        assert done.exit_code == 0, done.output
        number = "the first run" if name == "a" else "2 runs of this driver and selection; new failures: 0"
        assert f"history: {tmp_path}/runs/{FILE}, {number}" in words(done)
    _, *added = read_history(tmp_path / "runs").runs
    assert [run.command for run in added] == [COMMANDS[command]] * 2
    shown = words(nnvet("history", tmp_path / "runs"))
    assert f"nnvet {COMMANDS[command]}" in shown
    assert f"nnvet {COMMANDS[command]}" in (tmp_path / "runs" / "history.html").read_text()


@pytest.mark.parametrize("command", [*COMMANDS, "run --only BasicTest/CycleTest"])
def test_a_history_that_cannot_be_written_ends_every_command(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is run."""
    if command.startswith("bench"):
        write_toys(tmp_path / "models")
        monkeypatch.setenv("NNVET_MODELS", str(tmp_path / "models"))
    if command.startswith("fuzz") and find_spec("atheris") is None:
        pytest.skip("atheris is not installed: pip install 'nnvet[fuzz]'")
    (tmp_path / "runs").write_text("a file in the folder's place")
    done = nnvet(*command.split(), "--out", str(tmp_path / "out"), "--history", str(tmp_path / "runs"))
    assert done.exit_code == 2
    assert "cannot write the history" in done.output
    assert not (tmp_path / "out").exists()
