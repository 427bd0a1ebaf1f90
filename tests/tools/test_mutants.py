"""The machinery that tests the tests: mutants are made as the table of kinds says, and what is wrong is found."""

import ast
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import cast

import msgspec
import pytest

from nnvet.hal.enums import OperandType
from tools.mutants.__main__ import list_questions
from tools.mutants.mutant import ROOT, Mutant, list_mutants, mutate
from tools.mutants.page import Table, keep, make_section
from tools.mutants.reach import Reach
from tools.mutants.results import Equivalent, Fate, Result, Results, is_equivalent, list_equivalents
from tools.mutants.running import Judge, Question, try_mutants
from tools.mutants.sessions import StillbornError, SwitchedOffError

_FLOAT, _TRUTH = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_BOOL8
KERNEL = '''"""A kernel."""
TABLE = {1: "one", 2: "two"}


def scaled(call, values, high: int = 7):
    """The part that the driver asks for."""
    if high < 2:
        raise ValueError(f"{high - 1} is too low")
    check_rounds(values.size + 1)
    values[0] = np.rint(values / call.scale)
    return np.minimum(values, high)
'''
FILE = "reference_driver/kernels/scaled.py"
WANTED = {
    ("table", "{1: 'one', 2: 'two'}", "{2: 'two'}"),
    ("table", "{1: 'one', 2: 'two'}", "{1: 'one'}"),
    ("boundary", "high < 2", "high <= 2"),
    ("constant", "7", "8"),
    ("constant", "7", "6"),
    ("statement", "values[0] = np.rint(values / call.scale)", "pass"),
    ("rounding", "np.rint(values / call.scale)", "values / call.scale"),
    ("arithmetic", "values / call.scale", "values * call.scale"),
    ("swap", "values / call.scale", "call.scale / values"),
    ("clamp", "np.minimum(values, high)", "values"),
    ("clamp", "np.minimum(values, high)", "high"),
}


def a_mutant(number: int = 0) -> Mutant:
    """One of those of the kernel above."""
    return list_mutants(FILE, KERNEL)[number]


def test_every_kind_of_change_is_found() -> None:
    """A small kernel has the mutants that its operators, numbers and calls give; messages and limits have none."""
    found = list_mutants(FILE, KERNEL)
    assert {(mutant.kind, mutant.before, mutant.after) for mutant in found} >= WANTED
    assert {mutant.kind for mutant in found if "too low" in mutant.before} == {"statement", "condition"}
    assert not [
        mutant
        for mutant in found
        if mutant.before in ("high - 1", "values.size + 1") or "check_rounds" in mutant.before
    ]
    assert {mutant.where for mutant in found} == {"", "scaled"}


def test_a_mutant_is_the_source_with_one_change() -> None:
    """By its number a mutant is made again; all of them compile, and no two kinds of one place are alike."""
    original = ast.unparse(ast.parse(KERNEL))
    for mutant in list_mutants(FILE, KERNEL):
        tree = mutate(FILE, KERNEL, mutant.number)
        compile(tree, FILE, "exec")
        assert ast.unparse(tree) != original, mutant


def test_where_and_which_lines() -> None:
    """A change of a condition runs with its header, not with its block; one of a table with the module."""
    boundary = next(mutant for mutant in list_mutants(FILE, KERNEL) if mutant.kind == "boundary")
    assert (boundary.lines, boundary.where, boundary.family, boundary.part) == ((7, 7), "scaled", "scaled", "kernels")
    assert a_mutant().is_of_module


def _right(mutant: Mutant) -> Iterator[tuple[str, bool]]:
    yield "first", True


def _wrong(mutant: Mutant) -> Iterator[tuple[str, bool]]:
    yield "first", True
    yield "second", False
    raise AssertionError("asked after the mutant was found")


def _endless(mutant: Mutant) -> Iterator[tuple[str, bool]]:
    while True:
        pass
    yield "never", True


def _dying(mutant: Mutant) -> Iterator[tuple[str, bool]]:
    os._exit(1)
    yield "never", True


def _unborn(mutant: Mutant) -> Iterator[tuple[str, bool]]:
    raise StillbornError("no")
    yield "never", True


def _slow(mutant: Mutant) -> Iterator[tuple[str, bool]]:
    yield "first", True
    raise SwitchedOffError


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize(
    ("judge", "fate", "by", "count"),
    [
        (_right, Fate.SURVIVED, "", 1),
        (_wrong, Fate.KILLED, "second", 2),
        (_endless, Fate.TIMEOUT, "", 0),
        (_dying, Fate.KILLED, "the process ended", 0),
        (_unborn, Fate.STILLBORN, "no", 0),
        (_slow, Fate.SWITCHED_OFF, "", 1),
    ],
)
def test_what_becomes_of_a_mutant(judge: Judge, fate: Fate, by: str, count: int) -> None:
    """The first case that fails ends it; so do a dying process, an endless loop and an import that fails."""
    (end,) = try_mutants([Question(a_mutant(), "specs", judge)], 0.3 if fate is Fate.TIMEOUT else 30, 1)
    assert (end.fate, end.by, end.tried) == (fate, by, count)


class _EveryOther:
    """Stands for what cases come to: float32 to all mutants, truth values to every other one."""

    def forms(self, mutant: Mutant) -> dict[OperandType, object]:
        """The types, without cases."""
        return dict.fromkeys((_FLOAT, _TRUTH) if mutant.number % 2 else (_FLOAT,))


def test_random_models_have_a_sample_of_each_type(tmp_path: Path) -> None:
    """A type that few mutants come to takes its mutants from farther down the list."""
    drawn = list_mutants(FILE, KERNEL)
    results = Results(tmp_path / "results.jsonl")
    names = [f"random {kind.name}" for kind in (_FLOAT, _TRUTH)]

    def asked(**changes: object) -> set[tuple[str, int]]:
        options = Namespace(**{"against": "random", "tried": False, "count": 2, **changes})
        found = list_questions(drawn, options, cast("Reach", _EveryOther()), results)
        return {(result.against, result.mutant.number) for result in found}

    assert asked() == {(names[0], 0), (names[0], 1), (names[1], 1), (names[1], 3)}
    assert len(asked(count=0)) == len(drawn) + len(drawn) // 2
    assert {number for _, number in asked(against="specs")} == {0, 1}


def test_results_are_kept_and_survivors_tried_again(tmp_path: Path) -> None:
    """A mutant that was found stays found while the source is the same; a survivor while nothing was added."""
    first, second = a_mutant(0), a_mutant(1)
    kept = Results(tmp_path / "results.jsonl")
    kept.add(Result(first, "specs", Fate.KILLED, "source", "asked", "case", 1))
    kept.add(Result(second, "specs", Fate.SURVIVED, "source", "asked", "", 9))
    with kept.path.open("ab") as file:
        file.write(b'{"mutant": {"fi')
    again = Results(kept.path)
    assert again.known(first, "specs", "source", "more asked") is not None
    assert again.known(second, "specs", "source", "asked") is not None
    assert again.known(second, "specs", "source", "more asked") is None
    assert again.has(first, "specs", "source")
    assert not again.has(first, "specs", "other source")
    assert again.known(first, "random", "source", "asked") is None
    assert again.known(first, "specs", "other source", "asked") is None
    assert kept.path.read_bytes().endswith(b"\n")


def test_tables_count_what_counts(tmp_path: Path) -> None:
    """Mutants that give no wrong answer are left out, equivalent ones are named apart, survivors are listed."""
    first, second, third, fourth, fifth, *_ = list_mutants(FILE, KERNEL)
    fates = {first: Fate.KILLED, second: Fate.SURVIVED, third: Fate.STILLBORN, fourth: Fate.SURVIVED}
    fates[fifth] = Fate.SWITCHED_OFF
    results = [Result(mutant, "specs", fate, "source", "asked") for mutant, fate in fates.items()]
    known = [Equivalent(FILE, second.where, second.before, "a reason", second.after)]
    table = Table(results, known)
    assert [survivor.mutant for survivor in table.survivors] == [fourth]
    last = table.make_rows("all of them", lambda result: "these").splitlines()[-1]
    assert last == "| all | 3 | 1 | 0 | 1 | 0 | 1 | 0 | 50.0 % |"
    for against, allowed, found in (("specs", 1, "100.0 %"), ("checks", 0, "50.0 %")):
        equivalent = Equivalent(FILE, fourth.where, fourth.before, "a reason", fourth.after, fourth.nth, against)
        last = Table(results, [*known, equivalent]).make_rows("all of them", lambda result: "these").splitlines()[-1]
        assert last == f"| all | 3 | 1 | 0 | {1 - allowed} | 0 | 1 | {allowed} | {found} |"
    assert "1 more cannot be imported, 1 more only do without code for speed." in make_section("a", "command", table)
    page = tmp_path / "page.md"
    page.write_text("<!-- begin a: written by `make mutants` -->\nold\n<!-- end a -->\nrest\n")
    keep("a", make_section("a", "command", table), page)
    text = page.read_text()
    assert "old" not in text
    assert text.endswith("<!-- end a -->\nrest\n")
    with pytest.raises(ValueError, match="no place for 'b'"):
        keep("b", "", page)


@cache
def mutants_of(file: str) -> list[Mutant]:
    """Every mutant of a source file."""
    return list_mutants(file, (ROOT / file).read_text(encoding="utf-8"))


def test_every_equivalent_mutant_is_one() -> None:
    """The list names mutants that there are, each with a reason."""
    known = list_equivalents()
    made = {
        equivalent.file: [
            found for path in ROOT.glob(equivalent.file) for found in mutants_of(path.relative_to(ROOT).as_posix())
        ]
        for equivalent in known
    }
    assert [
        equivalent
        for equivalent in known
        if not equivalent.reason or not any(map(equivalent.covers, made[equivalent.file]))
    ] == []


ASKED = ("--family", "movement", "--only", "c // block ** 2 ", "--specs", "depth_to_space_basic.", "--count", "0")


def run(out: Path) -> tuple[str, list[Result]]:
    """Return the output of a run on some mutants of DEPTH_TO_SPACE, and its results."""
    command = [sys.executable, "-m", "tools.mutants", *ASKED, "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT)))}
    said = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stderr
    lines = (out / "results.jsonl").read_bytes().splitlines()
    return said, [msgspec.json.decode(line, type=Result) for line in lines]


def test_specs_find_wrong_kernels(tmp_path: Path) -> None:
    """Real mutants of a real kernel are found by the specs that come to them, and the next run knows that."""
    said, results = run(tmp_path)
    assert len(results) >= 4
    assert {result.mutant.where for result in results} >= {"depth_to_space"}
    known = list_equivalents()
    wrong = [
        result
        for result in results
        if result.mutant.where == "depth_to_space" and not is_equivalent(result.mutant, known)
    ]
    assert {result.fate for result in wrong} == {Fate.KILLED}
    assert all(result.by.startswith("depth_to_space_basic") for result in wrong)
    assert len(said.splitlines()) == len(results)
    said, again = run(tmp_path)
    assert (said, again) == ("", results)
