"""Coverage of the tests of VTS and CTS by our checks: the catalogues in ``coverage.d`` matched with what exists."""

from __future__ import annotations

import ast
import fnmatch
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from nnvet.conformance.kit.checks import Check, checks
from nnvet.conformance.suites.generated.table import SUITES
from nnvet.generators.mutations.operations import VTS_MUTATIONS
from nnvet.generators.mutations.requests import VTS_REQUEST_MUTATIONS, wrong_configs
from nnvet.hal.enums import FeatureLevel

CATALOGUES: Final = Path(__file__).parent / "coverage.d"
HAL_VERSIONS: Final = ("1.0", "1.1", "1.2", "1.3", "AIDL")
_MUTATING: Final = "ValidationTest/Test"


@dataclass(frozen=True)
class Row:
    """A test of a catalogue.

    ``by`` are ids or globs of ours as the catalogue gives them, ``covered`` the ids of ours that were found. ``tested``
    is a file of the project's own tests, of which one says that it is this test.
    ``count`` is the number of test macros; those of a ``part`` are counted elsewhere.
    """

    file: str
    section: str
    test: str
    hal: tuple[str, ...]
    mark: str
    count: int
    part: bool
    by: tuple[str, ...]
    covered: tuple[str, ...]
    reason: str
    note: str
    tested: str = ""

    @property
    def is_hole(self) -> bool:
        """True if neither a check of ours nor a reason is known."""
        return not self.covered and not self.reason


@cache
def catalogue(name: str) -> dict[str, Any]:
    """The data of ``coverage.d/NAME.toml``."""
    return tomllib.loads((CATALOGUES / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def known_ids() -> frozenset[str]:
    """Ids of all checks of ours, without names of specs; with parameters where they have some."""
    ids = {f"{suite.name}/{config.name}" for suite in SUITES for config in suite.configs}
    for check in checks().values():
        ids.add(_id(check))
        ids.update(case.id for case in check.cases())
    mutations = {name for name, _ in wrong_configs(FeatureLevel.FL8)}
    return frozenset(ids | {f"{_MUTATING}/{name}" for name in (*VTS_MUTATIONS, *VTS_REQUEST_MUTATIONS, *mutations)})


@cache
def claims() -> Mapping[str, tuple[str, ...] | str]:
    """Return the claims of modules of checks in a constant COVERS: checks, or a reason, by the name of a test."""
    found: dict[str, tuple[str, ...] | str] = {}
    for check in checks().values():
        covers = getattr(sys.modules[check.body.__module__], "COVERS", {})
        for test, claim in covers.items():
            in_suite = claim if isinstance(claim, str) else tuple(_in_suite(check, name) for name in claim)
            found.setdefault(test, in_suite)
    return found


@cache
def rows(name: str) -> tuple[Row, ...]:
    """Every test of a catalogue, with what covers it."""
    return tuple(_row(entry, test) for entry in catalogue(name)["file"] for test in entry["tests"])


@cache
def _matching(glob: str) -> frozenset[str]:
    """The known ids that match; most globs are plain names."""
    return frozenset(fnmatch.filter(known_ids(), glob) if any(char in glob for char in "*?[") else known_ids() & {glob})


def hal_range(text: str) -> tuple[str, ...]:
    """``1.2`` or ``1.2-AIDL`` as the versions that are meant.

    :raises ValueError: there is no such version.
    """
    first, _, last = text.partition("-")
    ends = [first, last or first]
    unknown = set(ends).difference(HAL_VERSIONS)
    if unknown:
        raise ValueError(f"{text!r}: there is no HAL version {' or '.join(sorted(unknown))}")
    begin, end = map(HAL_VERSIONS.index, ends)
    return HAL_VERSIONS[begin : end + 1]


def _row(entry: Mapping[str, Any], test: Mapping[str, Any]) -> Row:
    name, reason, tested = test["name"], test.get("reason", ""), test.get("tested", "")
    by = tuple(test.get("by", ()))
    if not by and not reason and not tested:
        by, reason = _derived(entry, name)
    hal = test.get("hal", entry.get("hal", ""))
    return Row(
        file=entry["name"],
        section=entry.get("section", ""),
        test=name,
        hal=hal_range(hal) if hal else (),
        mark=test.get("mark", entry.get("mark", "")),
        count=test.get("count", 1),
        part=entry.get("part", False),
        by=by,
        covered=tuple(sorted(frozenset().union(*map(_matching, by)))) or tests_that_say(name, tested),
        reason=reason,
        note=test.get("note", ""),
        tested=tested,
    )


def tests_that_say(name: str, file: str) -> tuple[str, ...]:
    """Return the tests of a file whose docstring, or the docstring of one of whose cases, has a name of CTS in it."""
    if not file:
        return ()
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    return tuple(f"{file}::{test}" for test, texts in _texts_of_tests(file) if any(map(word.search, texts)))


@cache
def _texts_of_tests(file: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names of all tests of a file, each with all texts in it and in its decorators."""
    tree = ast.parse((CATALOGUES.parents[1] / file).read_text(encoding="utf-8"))
    return tuple(
        (
            node.name,
            tuple(leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant) and type(leaf.value) is str),
        )
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def _derived(entry: Mapping[str, Any], name: str) -> tuple[tuple[str, ...], str]:
    """Ids and reason for a test of which the catalogue says nothing: our check of its name, or a module's claim."""
    if "pattern" in entry:
        return (entry["pattern"].format(name=name),), ""
    own = f"{entry['suite']}/{name}" if "suite" in entry else name
    if own in known_ids():
        return (own,), ""
    file = entry["name"].partition(".")[0]
    claim = claims().get(f"{file}.{name}", claims().get(name, ()))
    return ((), claim) if isinstance(claim, str) else (claim, "")


def _id(check: Check) -> str:
    return f"{check.suite}/{check.name}"


def _in_suite(check: Check, name: str) -> str:
    return name if "/" in name else f"{check.suite}/{name}"


def coverage_page() -> str:
    """Return the page with both catalogues, file by file."""
    lines = [
        "<!-- Generated by `make docs`; do not edit. -->\n",
        "# Coverage of VTS and CTS\n",
        "If you know the tests of VTS or CTS, find here the check of nnvet for each of them. A check is",
        "written `SUITE/CHECK`, as in the ids of cases, with `*` for several; run it with `--only`. If a",
        "test cannot apply to a driver, the page gives the reason instead. [Beyond VTS and",
        "CTS](beyond-vts.md) says what the checks do differently.\n",
        *_summary(),
        "## VTS\n",
        "The column HAL names the versions that have the test.\n",
        *_tables("vts", ("test", "HAL", "ours"), lambda row: (row.test, _versions(row.hal))),
        "## CTS\n",
        "The column *mark* says what a test applies to: D to a driver directly, T to a driver after",
        "translation, A to a library of the C API, R to a runtime over several drivers, F only to the",
        "framework of Android. Tests marked R run on `split:` and on the runtime that `nnvet export-driver`",
        "makes, with drivers made for them; the page names the test of nnvet. A number behind a test is that",
        "of its test macros, if it is not one.\n",
        *_tables("cts", ("test", "mark", "ours"), lambda row: (row.test + _times(row.count), row.mark)),
    ]
    return "\n".join(lines) + "\n"


def _summary() -> Iterator[str]:
    yield "| suite | tests | covered by a check | left out for a reason | missing |"
    yield "|---|---|---|---|---|"
    for name in ("vts", "cts"):
        found = list(rows(name))
        counts = (
            sum(row.count for row in found),
            sum(row.count for row in found if row.covered),
            sum(row.count for row in found if row.reason and not row.covered),
            sum(row.count for row in found if row.is_hole),
        )
        yield f"| {name.upper()} | {' | '.join(map(str, counts))} |"
    yield ""


def _tables(name: str, header: tuple[str, ...], cells: Callable[[Row], tuple[str, ...]]) -> Iterator[str]:
    for (file, section), found in groupby(rows(name), lambda row: (row.file, row.section)):
        yield f"### {file}{f' ([section {section}](contract/cts-tests.md#{section}))' if section else ''}\n"
        yield f"| {' | '.join(header)} |"
        yield "|" + "---|" * len(header)
        for row in found:
            yield f"| {' | '.join((*cells(row), _ours(row)))} |"
        yield ""


def _ours(row: Row) -> str:
    parts = [f"`{glob}`" for glob in row.by]
    if row.tested:
        parts = [f"`{test.rpartition('::')[2]}` of `{row.tested}`" for test in row.covered]
    if row.is_hole:
        parts = ["**nothing yet**"]
    said = [text for text in (row.reason, row.note) if text]
    return "; ".join([", ".join(parts), *said] if parts else said)


def _versions(hal: tuple[str, ...]) -> str:
    return hal[0] if len(hal) == 1 else f"{hal[0]} to {hal[-1]}"


def _times(count: int) -> str:
    return f" ({count})" if count > 1 else ""
