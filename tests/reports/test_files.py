"""Files in reach of drivers: what they put in the places of results is neither followed nor believed nor waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.commands.actions.campaign import CampaignFile, CampaignJob, commands_of, read_campaign
from nnvet.commands.options import CommandError
from nnvet.conformance.engine.waivers import WaiverError, read_waivers
from nnvet.conformance.profiles.statement import StatementError, read_statement
from nnvet.graphs.vector import VectorError, read_vector
from nnvet.reports import log as logs
from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.files import open_file, replace_file
from nnvet.reports.findings import FindingError
from nnvet.reports.history import HistoryError, check_folder, read_history
from nnvet.reports.log import EventLog, LogError, ResultsLostError, read_log
from nnvet.reports.releases import read_matrix
from nnvet.reports.render import render


def _remove(path: Path) -> None:
    path.unlink()


def _shorten(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _empty(path: Path) -> None:
    os.truncate(path, 0)


def _exchange(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)


def _improve(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"FAIL", b"PASS"))


def _lengthen(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"{}\n")


def _remove_all(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()


@pytest.mark.parametrize("attack", [_remove, _shorten, _empty, _exchange, _improve, _lengthen, _remove_all])
def test_a_log_that_somebody_changes_is_no_result(
    tmp_path: Path, started: RunStarted, attack: Callable[[Path], None]
) -> None:
    """The run does not end as if it had been kept."""
    with EventLog.create(tmp_path / "out" / "run.jsonl", started) as log:
        log.case_started("vts/one")
        log.case_finished("vts/one", Verdict.FAIL, rule="ADD/output.value")
        attack(log.path)
        with pytest.raises(ResultsLostError, match="somebody has removed or changed the log"):
            log.finish(1)


def test_a_log_that_nobody_changes_is_a_result(tmp_path: Path, started: RunStarted) -> None:
    """The bytes that are written are those that were checked."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("vts/one")
        log.case_finished("vts/one", Verdict.PASS)
        log.finish(0)
    assert read_log(log.path).is_complete


def test_links_in_the_folder_of_results_are_not_followed(tmp_path: Path, started: RunStarted) -> None:
    """Log and reports take the places of links; what these led to stays as it is."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    out = tmp_path / "out"
    out.mkdir()
    names = ("run.jsonl", "report.html", "junit.xml", "summary.md")
    for name in names:
        (out / name).symlink_to(precious)
        (out / f"{name}.new").symlink_to(precious)
    with EventLog.create(out / "run.jsonl", started) as log:
        log.finish(3)
    render(read_log(log.path), out)
    assert precious.read_text() == "mine"
    assert all((out / name).is_file() and not (out / name).is_symlink() for name in names)
    assert sorted(path.name for path in out.iterdir()) == sorted(names)


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    """There is no half of a file, and nothing beside it."""
    path = tmp_path / "page"
    replace_file(path, "old")
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "\ud800")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """Reading a log does not wait for somebody to write it."""
    os.mkfifo(tmp_path / "run.jsonl")
    with pytest.raises(LogError, match="it is no file"):
        read_log(tmp_path / "run.jsonl")
    with pytest.raises(OSError, match="it is no file"):
        open_file(Path("/dev/zero"))


def test_a_line_without_end_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that no event can have is refused before it is read whole."""
    monkeypatch.setattr(logs, "_LINE_BYTES", 1 << 20)
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"x" * (3 << 20))
    with pytest.raises(LogError, match=r"run\.jsonl:1: longer than 1 MiB"):
        read_log(path)


def test_pipes_in_place_of_what_a_command_reads(tmp_path: Path) -> None:
    """Histories, waivers and campaigns are read from files alone."""
    for name in ("history.jsonl", "waivers.toml", "campaign.toml"):
        os.mkfifo(tmp_path / name)
    for attempt in (read_history, check_folder):
        with pytest.raises(HistoryError, match="it is no file"):
            attempt(tmp_path)
    with pytest.raises(WaiverError, match="it is no file"):
        read_waivers(tmp_path / "waivers.toml")
    with pytest.raises(CommandError, match="it is no file"):
        read_campaign(tmp_path / "campaign.toml")


def test_pipes_and_devices_in_place_of_what_somebody_has_sent(tmp_path: Path) -> None:
    """Statements, saved failures and matrices of releases are read from files alone."""
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(StatementError, match="it is no file"):
            read_statement(place)
        with pytest.raises(VectorError, match="it is no file"):
            read_vector(place)
        with pytest.raises(FindingError, match="it is no file"):
            read_matrix(place)


@pytest.mark.parametrize(
    "content", [b"\xff", b"a = " + b"[" * 100_000, b'{"a":' * 100_000], ids=["text", "toml", "json"]
)
def test_nonsense_in_place_of_what_somebody_has_sent(tmp_path: Path, content: bytes) -> None:
    """No UTF-8, or nested without end: the error that commands show in a sentence."""
    path = tmp_path / "file"
    path.write_bytes(content)
    for read, error in ((read_campaign, CommandError), (read_waivers, WaiverError), (read_matrix, FindingError)):
        with pytest.raises(error, match="file"):
            read(path)


def test_a_file_of_terabytes_is_not_read(tmp_path: Path) -> None:
    """Memory is not taken for holes."""
    sparse = tmp_path / "history.jsonl"
    sparse.touch()
    os.truncate(sparse, 1 << 42)
    with pytest.raises(HistoryError, match="it has more than 2,147,483,648 bytes"):
        read_history(tmp_path)


@pytest.mark.parametrize("name", ["../../x", "/x", "..", "a/b"])
def test_a_job_does_not_leave_the_folder_of_its_campaign(name: str) -> None:
    """Its name is that of a folder."""
    campaign = CampaignFile(("reference",), (CampaignJob("run", name),))
    with pytest.raises(CommandError, match="leave out / and"):
        commands_of(campaign, ("*",), None)
