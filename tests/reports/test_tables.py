"""Tables for other programs, read back with the standard library's readers."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.log import EventLog, LogError, read_log
from nnvet.reports.tables import write_tables
from tests.commands.test_utilities import nnvet, words


def tables(folder: Path) -> dict[str, list[dict[str, str]]]:
    """The CSV files by name, as texts."""
    found = {}
    for path in folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            found[path.stem] = list(csv.DictReader(file))
    return found


def test_operations_cases_and_performance(full_log: Path, tmp_path: Path) -> None:
    """The command writes what the log of every verdict holds, counted by hand in the fixture."""
    folder = tmp_path / "new" / "tables"
    result = nnvet("report", full_log, "--out", tmp_path / "out", "--tables", folder)
    assert result.exit_code == 0
    assert f"report: {folder / 'tables.json'}" in words(result)
    found = tables(folder)
    conv = [row for row in found["operations"] if row["operation"] == "CONV_2D"]
    assert [(row["type"], row["state"], row["cases"], row["pass"], row["fail"]) for row in conv] == [
        ("all", "fault", "4", "2", "2"),
        ("TENSOR_FLOAT32", "fault", "3", "1", "2"),
        ("TENSOR_QUANT8_ASYMM", "pass", "1", "1", "0"),
    ]
    assert len(found["cases"]) == 11
    hang = next(row for row in found["cases"] if row["verdict"] == "HANG")
    assert (hang["case"], hang["operations"], hang["reason"]) == ("other/hang", "ADD MUL", "because of HANG")
    slow, failed = (row for row in found["performance"] if row["backend"] == "nnvet:reference")
    assert (slow["latency.min_s"], slow["latency.max_s"], slow["accuracy.top_5"]) == ("0.004", "0.008", "NaN")
    assert (slow["prepare_from_cache.mean_s"], slow["test_set_size"]) == ("0.003", "100")
    assert (failed["latency.mean_s"], failed["error"]) == ("", "prepareModel failed")


def test_json_has_the_same(full_log: Path, tmp_path: Path) -> None:
    """All cells of the CSV files are in the one JSON file, with numbers as numbers."""
    write_tables(read_log(full_log), tmp_path / "t")
    whole: dict[str, list[dict[str, Any]]] = json.loads((tmp_path / "t" / "tables.json").read_text("utf-8"))
    found = tables(tmp_path / "t")
    assert set(whole) == set(found) == {"operations", "cases", "performance", "positions"}
    for name, rows in whole.items():
        assert [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows] == found[name]
    assert whole["cases"][0]["duration_s"] == 0.5


def test_words_of_a_driver_are_no_formulas(tmp_path: Path, started: RunStarted) -> None:
    """A reason that a spreadsheet would compute stays text; lines, quotes and commas come back as they were."""
    reasons = ['=HYPERLINK("http://x")', "@SUM(1)", 'two\nlines, "quoted"']
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for index, reason in enumerate(reasons):
            log.case_started(f"c/{index}")
            log.case_finished(f"c/{index}", Verdict.FAIL, reason=reason)
    write_tables(read_log(log.path), tmp_path / "t")
    assert [row["reason"] for row in tables(tmp_path / "t")["cases"]] == [
        f"'{reasons[0]}",
        f"'{reasons[1]}",
        reasons[2],
    ]


def test_a_folder_that_cannot_be_written_is_named(full_log: Path, tmp_path: Path) -> None:
    """One line says which, and the log is not touched."""
    (tmp_path / "file").touch()
    with pytest.raises(LogError, match=r"file/t: cannot write the tables"):
        write_tables(read_log(full_log), tmp_path / "file" / "t")
