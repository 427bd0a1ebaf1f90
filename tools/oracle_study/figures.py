"""Figures of the study: a file that keeps them piece by piece, their sums, and the figures of ``docs/oracle.md``.

``__main__.py`` keeps what ``comparisons.py`` and ``study.py`` count in :class:`Pieces`; :func:`summary` adds the pieces
up for ``figures.json``, from which ``docs/oracle_tables.py`` makes the tables of the page.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tools.oracle_study.comparisons import Comparisons, DriverCount
from tools.oracle_study.study import KillTally, Study, rows

FIGURES: Final = Path(__file__).parent / "figures.json"
"""File with the figures that the documentation shows."""
ROOT: Final = Path(__file__).parents[2]
"""Root of the repository."""
# Folders whose code decides the results of a piece, and files there that do not.
_MADE_OF: Final = ("tools/oracle_study", "oracle", "hal", "generators/random_graphs", "generators/accuracy")
_NOT_OF: Final = ("__main__.py", "figures.py")


def version() -> str:
    """Return a hash of the code that decides a piece: bounds, operations, generators and the study itself."""
    found = hashlib.sha256()
    for folder in _MADE_OF:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name not in _NOT_OF:
                found.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]


class Pieces:
    """The pieces of a run, in a file with a line of JSON for each; pieces of other code or seeds are ignored."""

    def __init__(self, path: Path, seed: int) -> None:
        """Read the pieces of an earlier run; the last line may have been cut off, and is then ignored."""
        self.path, self.seed = path, seed
        self.key: dict[str, object] = {"version": version(), "seed": seed}
        self.known: dict[tuple[str, int], dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if {name: entry.get(name) for name in self.key} == self.key:
                self.known[entry["part"], entry["piece"]] = entry["found"]

    def keep(self, part: str, piece: int, found: dict[str, Any]) -> None:
        """Add a piece to the file."""
        self.known[part, piece] = found
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**self.key, "part": part, "piece": piece, "found": found}) + "\n")

    def of(self, part: str) -> list[dict[str, Any]]:
        """Return the pieces of a part of the study: ``honest`` or ``planted``."""
        return [found for (name, _), found in sorted(self.known.items()) if name == part]


def pack_comparisons(found: Comparisons) -> dict[str, Any]:
    """Return a piece of comparisons as values that JSON can express."""
    return {
        "drivers": {name: asdict(count) for name, count in found.drivers.items()},
        "different": sum(found.different.values()),
        "alarms": found.alarms,
    }


def pack_study(study: Study) -> dict[str, Any]:
    """Return a piece of planted errors as values that JSON can express."""
    return {
        "tallies": [
            {
                "kind": kind,
                "held_out": held_out,
                "judge": judge,
                "honest": tally.honest,
                "alarms": tally.alarms,
                "mutants": [[*key, killed] for key, killed in sorted(tally.mutants.items())],
            }
            for (kind, held_out, judge), tally in study.tallies.items()
        ],
        "open": study.open_shares,
    }


def add_up(pieces: list[dict[str, Any]]) -> tuple[dict[str, DriverCount], int, list[str]]:
    """Return the sums of pieces of comparisons: counts by driver, different results, and false alarms."""
    counts: dict[str, DriverCount] = {}
    for piece in pieces:
        for name, count in piece["drivers"].items():
            total = counts.setdefault(name, DriverCount())
            total.singles += count["singles"]
            total.graphs += count["graphs"]
            total.needed += count["needed"]
    return counts, sum(piece["different"] for piece in pieces), [line for piece in pieces for line in piece["alarms"]]


def merge_studies(pieces: list[dict[str, Any]]) -> Study:
    """Return the study of all pieces; a mutant is killed if it is killed in one of them."""
    study = Study()
    for piece in pieces:
        for entry in piece["tallies"]:
            tally = study.tallies[entry["kind"], entry["held_out"], entry["judge"]]
            tally.honest += entry["honest"]
            tally.alarms += entry["alarms"]
            for fault, subject, killed in entry["mutants"]:
                tally.mutants[fault, subject] = tally.mutants.get((fault, subject), False) or killed
        for kind, shares in piece["open"].items():
            study.open_shares[kind] += shares
    return study


def summary(pieces: Pieces, date: str) -> dict[str, Any]:
    """Return the figures that the documentation shows."""
    counts, different, alarms = add_up(pieces.of("honest"))
    study = merge_studies(pieces.of("planted"))
    return {
        "date": date,
        "seed": pieces.seed,
        "pieces": {part: len(pieces.of(part)) for part in ("honest", "planted")},
        "drivers": {name: asdict(count) for name, count in sorted(counts.items())},
        "different": different,
        "alarms": sorted(alarms),
        "kills": [list(row) for row in rows(study)],
    }


def find_known_mutants(pieces: Pieces) -> Study:
    """Return a study with the mutants of earlier pieces alone: killed ones need not be tried again."""
    earlier, fresh = merge_studies(pieces.of("planted")), Study()
    for key, tally in earlier.tallies.items():
        fresh.tallies[key] = KillTally(mutants=dict(tally.mutants))
    return fresh
