"""Numbers by part in a history, and what changed between runs. Expected changes are by hand."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from nnvet.reports.events import DriverFacts, Numbers, RunStarted, Verdict
from nnvet.reports.history import RunFacts, append_run, facts_of, part_numbers, read_history
from nnvet.reports.html.history import render_history
from nnvet.reports.log import EventLog, read_log
from nnvet.reports.series import PartDrift, drift_of_parts, series_of
from tests.commands.test_utilities import nnvet, words

Ends = dict[str, Verdict | Numbers]
ADD = {"suite": "Generated", "operations": "ADD", "operand_types": "TENSOR_FLOAT32"}
MUL = {"suite": "Generated", "operations": "MUL", "operand_types": "TENSOR_FLOAT16"}
GRAPH = {"suite": "Graphs", "operations": ["ADD", "MUL"], "operand_types": ["TENSOR_FLOAT32"]}
LABELS = {"add": ADD, "add2": ADD, "mul": MUL, "graph": GRAPH}
FIRST: Ends = {
    "add": Numbers("0a", bound_used=0.25),
    "add2": Numbers("0b", bound_used=0.5),
    "mul": Numbers("0c"),
    "graph": Numbers("0d"),
}


def run_of(folder: Path, day: int, ends: Ends, *, version: str = "1", seed: int | None = None) -> RunFacts:
    """Return the facts that a history keeps of a run of these cases."""
    path = folder / f"{day}.jsonl"
    started = RunStarted(version, DriverFacts("sel"), f"2026-11-{day:02}T09:00:00Z", seed=seed, planned=len(ends))
    with EventLog.create(path, started) as log:
        for case, end in ends.items():
            log.case_started(case)
            verdict = Verdict.PASS if isinstance(end, Numbers) else end
            numbers = end if isinstance(end, Numbers) else None
            log.case_finished(case, verdict, numbers=numbers, labels=LABELS[case])
        log.finish(0)
    return facts_of(read_log(path))


def test_parts_are_operations_in_types_and_suites(tmp_path: Path) -> None:
    """A digest of each, whatever the order of the cases; the largest share."""
    parts = run_of(tmp_path, 1, FIRST).parts
    assert list(parts) == ["ADD TENSOR_FLOAT32", "Graphs", "MUL TENSOR_FLOAT16"]
    add = parts["ADD TENSOR_FLOAT32"]
    assert (add.passed, add.unsupported, add.cases, add.bound_used) == (2, 0, 2, 0.5)
    assert parts["Graphs"].bound_used is None
    backwards = run_of(tmp_path, 2, dict(reversed(FIRST.items())))
    assert backwards.parts == parts
    swapped = run_of(tmp_path, 3, FIRST | {"add": Numbers("0b", bound_used=0.5), "add2": Numbers("0a")})
    assert swapped.parts["ADD TENSOR_FLOAT32"].digest != add.digest
    assert part_numbers([]) == {}


def test_drift(tmp_path: Path) -> None:
    """Bits and bounds of what passed in both, and claims that were lost; a failure is none of these."""
    first = run_of(tmp_path, 1, FIRST)
    assert drift_of_parts(first, run_of(tmp_path, 2, FIRST)) == PartDrift()
    other = run_of(tmp_path, 3, FIRST | {"graph": Numbers("ff"), "add2": Numbers("0b", bound_used=0.75)})
    found = drift_of_parts(first, other)
    assert found.bits == ("Graphs",)
    assert found.used == ("ADD TENSOR_FLOAT32: 0.5 -> 0.75 of its bound",)
    assert found.words == "other bits: 1, more of the bound: 1"
    lost = drift_of_parts(first, run_of(tmp_path, 4, FIRST | {"mul": Verdict.UNSUPPORTED, "add": Verdict.FAIL}))
    assert lost == PartDrift(lost=("MUL TENSOR_FLOAT16",))


def test_other_cases_are_not_compared(tmp_path: Path) -> None:
    """Another version of the suite, or random models of another seed, have other outputs."""
    first, changed = run_of(tmp_path, 1, FIRST, seed=1), FIRST | {"graph": Numbers("ff")}
    assert drift_of_parts(first, run_of(tmp_path, 2, changed, seed=1)).bits == ("Graphs",)
    assert drift_of_parts(first, run_of(tmp_path, 3, changed, seed=2)) == PartDrift()
    assert drift_of_parts(first, run_of(tmp_path, 4, changed, seed=1, version="2")) == PartDrift()


def test_a_history_shows_the_drift(tmp_path: Path) -> None:
    """In the terminal and on the page; lines without parts are read and compared with nothing."""
    for day, ends in ((1, FIRST), (2, FIRST | {"graph": Numbers("ff")}), (3, FIRST | {"graph": Numbers("ff")})):
        append_run(tmp_path, run_of(tmp_path, day, ends))
    history = read_history(tmp_path)
    (series,) = series_of(history.runs)
    assert [step.drift.bits for step in series.steps] == [(), ("Graphs",), ()]
    assert '<td title="Graphs">other bits: 1</td>' in render_history(history)
    assert "other bits: 1" in words(nnvet("history", tmp_path))
    assert drift_of_parts(replace(history.runs[0], parts={}), history.runs[1]) == PartDrift()
