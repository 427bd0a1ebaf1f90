"""The tables of bound rules, liberties and honest drivers in ``docs/oracle.md``, and the figures of the study."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from docs.parts import with_part
from nnvet.oracle.bounds.execution import RULES
from nnvet.oracle.bounds.liberties import DECLARED, EVERYBODY
from tools.oracle_study.figures import FIGURES
from tools.oracle_study.honest import FURTHER, HONEST
from tools.oracle_study.jax_driver import JAX
from tools.oracle_study.runtimes import RUNTIMES
from tools.oracle_study.study import HEADINGS

PAGE: Final = Path(__file__).parent / "oracle.md"


def oracle_page() -> str:
    """The page on the oracle, with fresh tables."""
    page = PAGE.read_text(encoding="utf-8")
    parts = (("liberties", _liberties()), ("drivers", _drivers()), ("kills", _kills()), ("bounds", _rows()))
    for name, rows in parts:
        page = with_part(page, name, "\n".join(rows))
    return page


def _liberties() -> Iterator[str]:
    """Liberties that everybody has, then those that are declared."""
    yield from ("| Liberty | Granted to | Operations | Source |", "|---|---|---|---|")
    for granted, liberties in (("everybody", EVERYBODY), ("whoever declares it", DECLARED.values())):
        for liberty in liberties:
            names = ", ".join(sorted(operation.name for operation in liberty.operations)) or "all of floats"
            yield f"| `{liberty.id}`: {liberty.words} | {granted} | {names} | {liberty.source} |"


def _drivers() -> Iterator[str]:
    """Honest drivers with what they need and how often they were compared, by the study's figures."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    counted = figures["drivers"]
    total = sum(count["singles"] + count["graphs"] for count in counted.values())
    yield (
        f"{figures['date']}, seed {figures['seed']}: {total:,} comparisons in {figures['pieces']['honest']} pieces, "
        f"{figures['different']:,} different results, {len(figures['alarms'])} false alarms."
    )
    yield ""
    yield from (
        "| Driver | Arithmetic | Liberties | Single operations | Graphs | Needed them |",
        "|---|---|---|---|---|---|",
    )
    for driver in (*HONEST, *FURTHER, *(runtime.driver for runtime in RUNTIMES), JAX):
        count = counted.get(driver.name, {"singles": 0, "graphs": 0, "needed": 0})
        liberties = ", ".join(f"`{name}`" for name in driver.liberties) or "none"
        needed = count["needed"] if driver.liberties else ""
        numbers = f"{count['singles']} | {count['graphs']} | {needed}"
        yield f"| `{driver.name}` | {driver.words} | {liberties} | {numbers} |"
    for alarm in figures["alarms"]:
        yield from ("", f"False alarm: {alarm}")


def _kills() -> Iterator[str]:
    """Planted errors that are found, by kind of arithmetic and half."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    yield f"{figures['date']}, seed {figures['seed']}, {figures['pieces']['planted']} models of each form:"
    yield ""
    yield from (f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS))
    yield from (f"| {' | '.join(row)} |" for row in figures["kills"])


def _rows() -> Iterator[str]:
    """Operations that have one rule are in one row."""
    yield from ("| Operations | Errors of inputs | What is added | Undecided |", "|---|---|---|---|")
    by_rule: dict[tuple[str, str, str], list[str]] = {}
    for operation, rule in sorted(RULES.items(), key=lambda item: item[0].name):
        by_rule.setdefault((rule.propagation, rule.local, rule.undecided), []).append(operation.name)
    for words, names in by_rule.items():
        # A bar would end the cell.
        yield f"| {', '.join(names)} | {' | '.join(word.replace('|', chr(92) + '|') for word in words)} |"
