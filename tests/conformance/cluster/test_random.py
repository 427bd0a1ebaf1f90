"""Random models on a cluster: what asks the driver runs where the driver is, and files are kept here."""

from __future__ import annotations

from pathlib import Path

from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet
from tests.conformance.cluster.conftest import Cluster

DRIVERS = Path(__file__).parents[2] / "drivers" / "deadly_to_workers.py"


def test_a_driver_that_only_the_worker_has(cluster: Cluster) -> None:
    """It is probed, tested and its failure reduced there; the least model is saved in the folder of the run."""
    (cluster.folder / "one").mkdir()
    (cluster.folder / "one" / "mine.py").write_text(DRIVERS.read_text())
    cluster.add_worker("one")
    out = cluster.folder / "out"
    chosen = ("--count", 150, "--operations", "1-3", "--types", "float32", "--max-failures", 1, "--strict")
    where = ("-d", "python:mine.py:drifting", "--cluster", cluster.address, "--out", out)
    result = nnvet("random", *map(str, (*where, *chosen)))
    assert result.exit_code == 1, result.output
    log = read_log(out / "run.jsonl")
    (small,) = log.reductions
    assert [operation.name for operation in small.graph] == ["PRELU"]
    assert (out / small.folder / "vector.json").is_file()
    assert log.counts[Verdict.PASS]
