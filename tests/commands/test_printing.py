"""Runs that can no longer print continue to the end: log, reports and exit code are complete."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from nnvet.reports.log import read_log

WRONG: Final = ("-d", "zoo:priority-any", "--only", "TestValidation/Compilation/*")
RIGHT: Final = ("-d", "reference", "--only", "BasicTest/*")
COMMAND: Final = f"{sys.executable} -m nnvet.commands"


def shell(command: str, folder: Path) -> tuple[int, str]:
    """Exit code and output of a line of bash in which the exit code of a pipe is that of its last failing part."""
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {command}"], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.sampled(5)
@pytest.mark.parametrize("printed", ["| true", "2>&1 | head -n 1", ">&-", ">&- 2>&-", "> /dev/null 2>&1"])
@pytest.mark.parametrize(("driver", "code"), [(RIGHT, 0), (WRONG, 1)], ids=["right", "wrong"])
def test_a_reader_that_goes(printed: str, driver: tuple[str, ...], code: int, tmp_path: Path) -> None:
    """It has read what it wanted: nothing is said of it, and the exit code is the run's."""
    words = " ".join(f"'{argument}'" for argument in driver)
    ended, said = shell(f"{COMMAND} run --in-process {words} --out out {printed}", tmp_path)
    assert ended == code, said
    assert "Traceback" not in said
    assert "nnvet: " not in said
    log = read_log(tmp_path / "out" / "run.jsonl")
    assert log.finished is not None
    assert log.finished.exit_code == code
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"report.html", "junit.xml", "summary.md"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "more", [pytest.param("rules", marks=pytest.mark.long), "drivers", "zoo", "run --op ADD --list", "--help"]
)
def test_a_list_that_is_not_read_to_its_end(more: str, tmp_path: Path) -> None:
    """No error of the command's."""
    assert shell(f"{COMMAND} {more} | head -n 1", tmp_path)[0] == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("driver", "code"), [(RIGHT, 3), (WRONG, 1)], ids=["right", "wrong"])
def test_a_full_disk_behind_the_output(driver: tuple[str, ...], code: int, tmp_path: Path) -> None:
    """It is said, at the end and in one line; a verdict on the driver is not lost for it."""
    words = " ".join(f"'{argument}'" for argument in driver)
    ended, said = shell(f"{COMMAND} run --in-process {words} --out out > /dev/full", tmp_path)
    assert (ended, said) == (code, "nnvet: not all could be printed: No space left on device\n")
    assert (tmp_path / "out" / "report.html").is_file()
