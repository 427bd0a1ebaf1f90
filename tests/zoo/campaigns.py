"""Wrong drivers with a numeric fault against campaigns of random models: ``python -m tests.zoo.campaigns [BUG ...]``.

Each gets a campaign of a minute without any option, in this process, which ends at its first failure and makes that
small. A line for each driver says how many models that took, the seconds of processor time, those of the reduction
among them, and how many operations are left. The exit code is 1 if one is not found or has more than three.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.commands.actions.random_models import RandomRun, run_random
from nnvet.conformance.engine.runner import StopRules
from nnvet.conformance.engine.target import Target
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.vector import read_vector
from nnvet.reports.events import DRIVER_FAULTS
from nnvet.reports.log import read_log

NUMERIC: Final = (
    "graph-blocks",
    "graph-broadcast",
    "graph-drift",
    "graph-in-place",
    "relation-constant",
    "relation-fused-activation",
    "relation-later-rows",
    "relation-nchw",
    "relation-partition",
)
"""Drivers that give wrong values for a valid model that is executed once, synchronously, by an operation's kernel.

Not so ``constants-*``, whose models have pools that are laid out oddly; ``coupling-apart`` and ``axis-from-front``,
wrong in a single form that checks of their own have; ``async-rounds`` and ``relation-burst``, wrong in one way of
executing.
"""
WITHIN_THE_CONTRACT: Final = ("graph-drift", "relation-later-rows")
"""Those of them whose models are within the tolerances of the NNAPI: campaigns find them with ``--strict``."""
_MINUTE_S: Final = 60.0
_SMALL: Final = 3


class Found(NamedTuple):
    """Result of a campaign: models until the first failure, seconds in all, operations left; None: no failure."""

    models: int
    seconds: float
    operations: int | None


def campaign_against(bug: str, out: Path, seed: int = 0) -> Found:
    """Run a campaign until the first failure, and reduce that; seconds are those of this process."""
    target = Target(f"zoo:{bug}", in_process=True, strict=bug in WITHIN_THE_CONTRACT)
    begin = time.process_time()
    campaign = RandomRun(
        target, GraphOptions(), "bounds", seed, None, _MINUTE_S, out, jobs=1, stop=StopRules(max_failures=1)
    )
    with redirect_stdout(io.StringIO()):
        run_random(campaign)
    seconds = time.process_time() - begin
    log = read_log(campaign.out / "run.jsonl")
    left = [len(read_vector(path)[0].main.operations) for path in (out / "failures").glob("*/vector.json")]
    failed = any(result.verdict in DRIVER_FAULTS for result in log.results.values())
    return Found(len(log.results), seconds, min(left, default=None) if failed else None)


def main(names: list[str]) -> int:
    """Print a line for each driver; returns the exit code."""
    missed = False
    for bug in names or NUMERIC:
        with tempfile.TemporaryDirectory() as folder:
            found = campaign_against(bug, Path(folder))
        missed |= found.operations is None or found.operations > _SMALL
        left = "not found" if found.operations is None else f"{found.operations} operations"
        sys.stdout.write(f"{bug:28} {found.models:5} models {found.seconds:6.1f} s  {left}\n")
        sys.stdout.flush()
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
