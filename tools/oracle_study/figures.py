"""Figures of the study: kept piece by piece in a file, put together, and those of ``docs/oracle.md``."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tools.oracle_study.comparisons import Comparisons, DriverCount
from tools.oracle_study.study import KillTally, Study, rows

FIGURES: Final = Path(__file__).parent / "figures.json"
"""Figures that the documentation shows."""
ROOT: Final = Path(__file__).parents[2]
_MADE_OF: Final = ("tools/oracle_study", "oracle", "hal", "generators/random_graphs", "generators/accuracy")
_NOT_OF: Final = ("__main__.py", "figures.py")


def version() -> str:
    """Return a hash of all that a piece depends on: bounds, operations, generators and the study itself."""
    found = hashlib.sha256()
    for folder in _MADE_OF:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name not in _NOT_OF:
                found.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]


class Pieces:
    """The pieces of a run in a file: one line of JSON each, of the present version and seed alone."""

    def __init__(self, path: Path, seed: int) -> None:
        """Read what is there; a line that was cut off is none."""
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
        """Add a piece."""
        self.known[part, piece] = found
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**self.key, "part": part, "piece": piece, "found": found}) + "\n")

    def of(self, part: str) -> list[dict[str, Any]]:
        """Return the pieces of a part."""
        return [found for (name, _), found in sorted(self.known.items()) if name == part]


def packed(found: Comparisons) -> dict[str, Any]:
    """Return a piece of comparisons as JSON."""
    return {
        "drivers": {name: asdict(count) for name, count in found.drivers.items()},
        "different": sum(found.different.values()),
        "alarms": found.alarms,
    }


def packed_study(study: Study) -> dict[str, Any]:
    """Return a piece of planted errors as JSON."""
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


def together(pieces: list[dict[str, Any]]) -> tuple[dict[str, DriverCount], int, list[str]]:
    """Counts by driver, different results, alarms."""
    counts: dict[str, DriverCount] = {}
    for piece in pieces:
        for name, count in piece["drivers"].items():
            total = counts.setdefault(name, DriverCount())
            total.singles += count["singles"]
            total.graphs += count["graphs"]
            total.needed += count["needed"]
    return counts, sum(piece["different"] for piece in pieces), [line for piece in pieces for line in piece["alarms"]]


def studied(pieces: list[dict[str, Any]]) -> Study:
    """Return the study of all pieces: a mutant is killed if a model of any of them convicts it."""
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
    counts, different, alarms = together(pieces.of("honest"))
    study = studied(pieces.of("planted"))
    return {
        "date": date,
        "seed": pieces.seed,
        "pieces": {part: len(pieces.of(part)) for part in ("honest", "planted")},
        "drivers": {name: asdict(count) for name, count in sorted(counts.items())},
        "different": different,
        "alarms": sorted(alarms),
        "kills": [list(row) for row in rows(study)],
    }


def known_mutants(pieces: Pieces) -> Study:
    """Return the mutants of earlier pieces, with nothing else: what is killed need not be killed again."""
    earlier, fresh = studied(pieces.of("planted")), Study()
    for key, tally in earlier.tallies.items():
        fresh.tallies[key] = KillTally(mutants=dict(tally.mutants))
    return fresh
