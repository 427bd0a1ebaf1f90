"""The exit codes on the pages are the exit codes of the commands."""

import re

import typer

from nnvet.commands.main import app
from nnvet.reports.outcome import (
    EXIT_CODES,
    EXIT_CONFORMANT,
    EXIT_NOT_CONFORMANT,
    EXIT_SPEC,
    EXIT_SUITE_FAILED,
    EXIT_USAGE,
)
from tests.commands.test_utilities import nnvet, words
from tests.docs.pages import ROOT

MEANS = {
    EXIT_CONFORMANT: "no fault found",
    EXIT_NOT_CONFORMANT: "not conformant",
    EXIT_USAGE: "usage error",
    EXIT_SUITE_FAILED: "the suite failed",
    EXIT_SPEC: "a spec is wrong",
}


def table() -> dict[int, tuple[str, str]]:
    """Meaning and commands by exit code, from docs/reports.md; without signals."""
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    section = page.partition("\n## Exit codes\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| (.*) \| (.*) \|$", section, re.MULTILINE)
    return {int(code): (means, commands) for code, means, commands in rows}


def signals() -> str:
    """The commands of the row of signals."""
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"^\| 128 \+ [^|]*\| [^|]*\| (.*) \|$", page, re.MULTILINE)
    return str(commands)


def test_the_table_has_every_code() -> None:
    """Each code with its meaning; the outcome of a run is in the row of its code."""
    rows = table()
    assert set(rows) == set(MEANS)
    for code, means in MEANS.items():
        assert rows[code][0].startswith(means)
    for outcome, code in EXIT_CODES.items():
        assert re.search(rf"(?<!not )\b{outcome}\b", rows[code][0]), outcome


def test_the_table_has_every_command() -> None:
    """The commands that it names are there, and one that judges or compares is not left out."""
    known = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    named = {name for _, commands in table().values() for name in re.findall(r"`(\w+)`", commands)}
    assert named == {
        "run",
        "random",
        "bench",
        "stress",
        "fuzz",
        "smoke",
        "diff",
        "upgrade",
        "replay",
        "reduce",
        "report",
        "judge",
        "verify",
    }
    assert named < known
    assert table()[EXIT_USAGE][1] == "all"


def test_readme_and_help_agree() -> None:
    """Both name each code with the same words."""
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for code, means in MEANS.items():
        assert f"{code} {means}" in readme
        assert f"{code} {means}" in words(nnvet("--help"))
