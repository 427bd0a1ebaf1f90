"""A soak sees what commands take and leave behind, and calls growth what grows from round to round."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tools.soak.judging import Slope, faults, slopes
from tools.soak.watching import Reading, Record, watch

LEAVES = """
import os, subprocess, tempfile
print('begun')
subprocess.Popen(['sleep', '60'], start_new_session=True)
open(os.path.join(tempfile.gettempdir(), 'forgotten'), 'w').close()
"""


def round_of(memory: float, threads: int = 4) -> Record:
    """A round in which the runner has so many MiB and threads."""
    readings = [Reading(float(at), 1, memory, 1.0, 10, threads) for at in range(5)]
    return Record("nnvet run", runner=readings)


def found(*records: Record) -> dict[str, Slope]:
    """Slopes by quantity."""
    return {slope.quantity: slope for slope in slopes([("run", record) for record in records])}


def test_growth_is_found() -> None:
    """Ten MiB a round are no noise, whatever the first round had; threads that stay are none."""
    grown = found(*(round_of(memory) for memory in (500.0, 100.0, 110.0, 120.0)))
    assert grown["memory"].by_round == pytest.approx(10.0)
    assert grown["memory"].is_growth
    assert (grown["memory"].median, grown["memory"].peak) == (115.0, 500.0)
    assert not grown["threads"].is_growth


def test_noise_is_none() -> None:
    """Figures that go up and down, or were seen too rarely, are no growth."""
    assert not found(*(round_of(memory) for memory in (100.0, 103.0, 99.0, 102.0)))["memory"].is_growth
    assert found(round_of(100.0), round_of(900.0))["memory"].by_round is None


def test_what_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process in a session of its own, and a temporary file, are named; the command itself has ended well."""
    monkeypatch.setattr("tools.soak.watching._LEAVING_S", 0.0)
    record = watch([sys.executable, "-c", LEAVES], tmp_path, every_s=0.05, limit_s=60.0)
    assert (record.exit_code, record.output) == (0, "begun\n")
    assert record.runner
    process, file = record.left
    assert process.startswith("process ")
    assert process.endswith(" sleep")
    assert file == "file forgotten"
    assert len(faults("run", record)) == 2
    os.kill(int(process.split()[1]), signal.SIGKILL)


def test_a_command_that_does_not_end(tmp_path: Path) -> None:
    """It is killed, and that is a fault."""
    record = watch([sys.executable, "-c", "import time; time.sleep(600)"], tmp_path, every_s=0.05, limit_s=0.5)
    assert record.exit_code == -9
    assert any("has not ended" in fault for fault in faults("run", record))


@pytest.mark.parametrize(("code", "count"), [(0, 0), (1, 0), (2, 1), (3, 1), (-11, 1)])
def test_exit_codes_of_commands(code: int, count: int) -> None:
    """A driver's faults are none of the suite's; that nothing could be run, and what is incomplete, are."""
    assert len(faults("run", Record("nnvet run", exit_code=code))) == count


def test_a_budget_is_no_fault() -> None:
    """A command that was given a time is incomplete when that is over."""
    assert faults("run", Record("nnvet run --budget 9s", exit_code=3)) == []
    assert len(faults("run", Record("nnvet run --budget 9s", exit_code=2))) == 1
