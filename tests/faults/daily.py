"""An author's daily work while a fault strikes: new drivers, first looks, waivers, histories, shards, pages."""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path
from typing import Final

from tests.faults.scenarios import HERE, LENIENT, SPECS, Scenario, kept, nnvet, only

_FAILING: Final = ("-d", LENIENT, *only("TestValidation/Compilation/SetPriority"))

SHARDS: Final = tuple(
    Scenario(f"shard {number} of two", (*HERE, *only("BasicTest/*"), "--shard", f"{number}/2")) for number in (1, 2)
)
"""Their results are ``MADE/shard-1`` and ``MADE/shard-2``."""
FAILED: Final = Scenario("a wrong driver", (*HERE, *_FAILING), code=1)
"""Its results are ``MADE/failed``."""
HISTORY: Final = Scenario("the first of a history", (*HERE, *SPECS, "--history", "OUT/runs"))
"""Its results are ``MADE/dated``."""


def _dated(out: Path, made: Path) -> None:
    shutil.copytree(made / "dated", out)


def _waivers(out: Path, made: Path) -> None:
    """Waivers that a user has written."""
    out.mkdir()
    (out / "waivers.toml").write_text("# Ours.\n")


def _triaged(arguments: list[str]) -> int:
    """Add waivers; 9 if what was there is lost, or what is there is no TOML."""
    code, path = nnvet(arguments), Path(arguments[-1])
    text = path.read_text()
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return 9
    return code if text.startswith("# Ours.\n") else 9


def _made_new(arguments: list[str]) -> int:
    """Make a driver in a new folder."""
    shutil.rmtree(Path(arguments[-1]) / "my-npu", ignore_errors=True)
    code = nnvet(arguments)
    # Either all of it is there, or nothing is in the way of the next try.
    return 9 if code and (Path(arguments[-1]) / "my-npu").exists() else code


def _in_actions(arguments: list[str]) -> int:
    """A run as GitHub Actions has it."""
    summary = Path(arguments[arguments.index("--out") + 1]).parent / "summary.md"
    os.environ |= {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    return nnvet(arguments)


DAILY: Final = (
    *SHARDS,
    FAILED,
    HISTORY,
    Scenario("a new driver", ("new-driver", "my-npu", "--in", "OUT"), act=_made_new),
    Scenario("a first look", ("smoke", "--in-process", "--seconds", "0")),
    Scenario("a wrong driver waived", (*HERE, *_FAILING, *only("BasicTest/*"), "--waivers", "MADE/waivers.toml")),
    Scenario("waivers proposed", ("triage", "MADE/failed", "--out", "OUT/waivers.toml"), begin=_waivers, act=_triaged),
    Scenario("a run in GitHub Actions", (*HERE, *_FAILING), code=1, act=_in_actions),
    Scenario("shards put together", ("report", "MADE/shard-1", "MADE/shard-2", "--out", "OUT/merged")),
    Scenario("tables of a log", ("report", "OUT/run.jsonl", "--tables", "OUT/tables"), begin=kept),
    Scenario("a page of two logs", ("diff", "OUT", "MADE/whole", "--out", "OUT/diff.html"), begin=kept),
    Scenario("a scoreboard", ("scoreboard", "OUT", "MADE/whole", "--out", "OUT/board"), begin=kept),
    Scenario("a run into a history", (*HERE, *SPECS, "--history", "OUT/runs"), begin=_dated),
    Scenario("a page of a history", ("history", "OUT/runs"), begin=_dated),
)
"""All in one process."""
