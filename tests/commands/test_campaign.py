"""Campaigns: a file of jobs becomes commands, which run one after the other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nnvet.reports.history import read_history
from tests.commands.test_utilities import nnvet, words

TWO_JOBS = """
drivers = ["reference", "zoo:answers-exception"]
out = "{out}"
history = "{out}/history"

[[job]]
command = "run"
name = "quick"
options = {{ only = ["BasicTest/*"], jobs = 1, full = false }}

[[job]]
command = "random"
options = {{ count = 2, reduce = false }}
"""


def written(folder: Path, text: str) -> Path:
    """A campaign in a file."""
    file = folder / "campaign.toml"
    file.write_text(text)
    return file


def test_what_a_file_stands_for(tmp_path: Path) -> None:
    """All drivers in one command where it takes several, else one command each; switches, lists and what is shared."""
    file = written(tmp_path, TWO_JOBS.format(out="o"))
    shared = "--history o/history"
    assert nnvet("campaign", file, "--list").output.splitlines() == [
        f"nnvet run -d reference -d zoo:answers-exception --out o/quick {shared} --only 'BasicTest/*' --jobs 1",
        f"nnvet random -d reference --out o/2-random-reference {shared} --count 2 --no-reduce",
        f"nnvet random -d zoo:answers-exception --out o/2-random-zoo_answers_exception {shared} --count 2 --no-reduce",
    ]
    assert len(nnvet("campaign", file, "--list", "--only", "quick").output.splitlines()) == 1


def test_fuzzing_on_a_cluster(tmp_path: Path) -> None:
    """A campaign's cluster and resources are those of its fuzzing jobs, too."""
    shared = 'drivers = ["reference"]\nout = "o"\ncluster = "tcp://host:8786"\nresource = ["accelerator=1"]'
    file = written(tmp_path, f'{shared}\n[[job]]\ncommand = "fuzz"\nname = "night"\noptions = {{ minutes = 480 }}')
    assert nnvet("campaign", file, "--list").output.splitlines() == [
        "nnvet fuzz -d reference --out o/night --cluster tcp://host:8786 --resource accelerator=1 --minutes 480"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("drivers = [", "campaign.toml"),
        ('drivers = ["a"]\njob = []', "job is empty"),
        ('drivers = []\n[[job]]\ncommand = "run"', "drivers is empty"),
        ('drivers = ["a"]\n[[job]]\ncommand = "walk"', "$.job[0].command"),
        ('drivers = ["a"]\ncolour = 1\n[[job]]\ncommand = "run"', "colour"),
        ('drivers = ["a"]\n[[job]]\ncommand = "run"\noptions = { bugdet = "1h" }', "the nearest is budget"),
        ('drivers = ["a"]\n[[job]]\ncommand = "run"\noptions = { full = 3 }', "full is a switch"),
        ('drivers = ["a"]\n[[job]]\ncommand = "run"\noptions = { seed = [1, 2] }', "seed is no option of nnvet run"),
        ('drivers = ["a"]\n[[job]]\ncommand = "run"\noptions = { level = [1, 2] }', "level takes one value"),
        ('drivers = ["a"]\n[[job]]\ncommand = "run"\noptions = { out = "x" }', "out is the campaign's own"),
        ('drivers = ["a"]\n[[job]]\ncommand = "run"\nname = "n"\n[[job]]\ncommand = "run"\nname = "n"', "called 'n'"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, said: str) -> None:
    """Exit code 2, and what is wrong, before any job runs."""
    result = nnvet("campaign", written(tmp_path, text))
    assert result.exit_code == 2
    assert said in words(result)


def test_no_job_and_no_file(tmp_path: Path) -> None:
    """The names that there are, and why a file cannot be read."""
    file = written(tmp_path, TWO_JOBS.format(out="o"))
    assert "there are quick, 2-random" in words(nnvet("campaign", file, "--only", "slow"))
    assert "cannot be read" in words(nnvet("campaign", tmp_path / "none.toml"))


def test_the_worst_exit_code_counts_and_all_jobs_run(tmp_path: Path) -> None:
    """The first job finds the bug of the second driver; the others run all the same, and all are in the history."""
    file = written(tmp_path, TWO_JOBS.format(out=tmp_path / "o"))
    done = subprocess.run(
        [sys.executable, "-m", "nnvet.commands", "campaign", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    summary = json.loads((tmp_path / "o" / "campaign.json").read_text())
    assert summary["ended"][0]["exit_code"] == 1
    assert len(summary["ended"]) == summary["planned"] == 3
    assert (tmp_path / "o" / "quick" / "index.html").is_file()
    assert "quick: the driver has faults" in done.stdout
    assert len(read_history(tmp_path / "o" / "history").runs) == 4


@pytest.mark.long
def test_ctrl_c_ends_the_job_and_the_campaign(tmp_path: Path) -> None:
    """The job under way writes its reports, those that follow do not begin, and the exit code says so."""
    text = TWO_JOBS.format(out=tmp_path / "o").replace("count = 2", "count = 100000")
    campaign = subprocess.Popen(
        [sys.executable, "-m", "nnvet.commands", "campaign", written(tmp_path, text), "--only", "2-random"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    log = tmp_path / "o" / "2-random-reference" / "run.jsonl"
    end = time.monotonic() + 120
    while not (log.exists() and "case_finished" in log.read_text()):
        assert time.monotonic() < end
        time.sleep(0.1)
    os.killpg(campaign.pid, signal.SIGINT)
    output, _ = campaign.communicate(timeout=120)
    assert campaign.returncode == 130
    assert "1 jobs were not run" in output
    assert log.with_name("report.html").is_file()
