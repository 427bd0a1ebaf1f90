"""``python -m tools.mutants``: try mutants of kernels, declarations and machine code against the tests.

:func:`draw_mutants` chooses the mutants, :func:`list_questions` pairs them with a judge, and ``running.py`` tries them.
Each result is stored at once, so that the same command continues an interrupted run. With ``--page`` the tables go into
``docs/power.md``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

# Set before NumPy is imported: forked processes must not wait for threads of their parent.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.kit.checks import checks
from nnvet.generators.random_graphs.options import PRIMARY_TYPES
from nnvet.generators.specs import find_specs
from tools.mutants import kinds, mutant
from tools.mutants.driver import load_original
from tools.mutants.judges import JUDGES
from tools.mutants.mutant import PARTS, ROOT, Mutant, list_files, list_mutants
from tools.mutants.page import Table, keep, make_section
from tools.mutants.preferences import against_preferences, load_original_answers
from tools.mutants.random_models import against_random
from tools.mutants.reach import Reach, measure_reach
from tools.mutants.results import Fate, Result, Results, is_equivalent, list_equivalents
from tools.mutants.running import Question, try_mutants

OUT: Final = ROOT / "out" / "mutants"
"""Default folder of the results."""
RANDOM: Final = "random"
"""Value of ``--against`` for random models; results add the operand type to it."""
PREFERENCES: Final = "preferences"
"""Value of ``--against`` for models that are prepared for sustained speed, which alone execute machine code."""
_JUDGES: Final = {**JUDGES, PREFERENCES: against_preferences}
"""Judges by value of ``--against``, except that of random models, which needs a type."""
GENERATORS: Final = sorted((ROOT / "generators").glob("[ar]*/**/*.py"))
"""Modules that make random models; results against these are out of date if one of the modules changes."""


def _parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools.mutants", description=__doc__)
    parser.add_argument("--part", choices=PARTS, default="kernels")
    parser.add_argument("--against", choices=(*_JUDGES, RANDOM), default="specs")
    parser.add_argument("--family", action="append", help="only mutants of this module; may be repeated")
    parser.add_argument("--only", default="", help="only mutants with this text in their line of the list")
    parser.add_argument("--count", type=int, default=400, help="how many are drawn, of random: in each type; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tried", action="store_true", help="all that earlier runs tried, of whatever sample")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--seconds", type=float, default=60, help="time limit of one case")
    parser.add_argument("--specs", action="append", help="only spec files whose names begin so; may be repeated")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the results")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/power.md")
    return parser.parse_args(arguments)


def draw_mutants(options: argparse.Namespace) -> list[Mutant]:
    """Return the wanted mutants in random order; the order depends only on the sources and the seed."""
    paths = [file for file in list_files(options.part) if not options.family or Path(file).stem in options.family]
    found = [change for file in paths for change in list_mutants(file, (ROOT / file).read_text(encoding="utf-8"))]
    chosen = [change for change in found if options.only in str(change)]
    random.Random(options.seed).shuffle(chosen)  # noqa: S311 - a sample, no secret
    return chosen


def main(arguments: Sequence[str]) -> int:
    """Try the drawn mutants, print the fate of each, and return the exit code."""
    options = _parse_arguments(arguments)
    wanted = tuple(options.specs or [""])
    checks()
    is_over_specs = options.against != PREFERENCES
    if is_over_specs:
        load_original()
    reach = measure_reach(options.out / "reach", lambda path: is_over_specs and path.name.startswith(wanted))
    results = Results(options.out / "results.jsonl")
    try:
        found = _collect_results(
            list_questions(draw_mutants(options), options, reach, results), reach, results, options
        )
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command goes on\n")
        return 130
    table = Table(found, list_equivalents())
    title = f"{options.part} against {options.against}"
    named = "".join(f" --family {family}" for family in options.family or ())
    sample = " --tried" if options.tried else f" --count {options.count} --seed {options.seed}"
    command = f"python -m tools.mutants --part {options.part} --against {options.against}{named}{sample}"
    text = make_section(title, command, table)
    sys.stdout.write(text)
    if options.page:
        keep(title, text)
    return 0


def _collect_results(
    questions: Iterable[Question], reach: Reach, results: Results, options: argparse.Namespace
) -> list[Result]:
    """Return the result of each question, in the order of the questions; mutants without a known result are tried."""
    asked = _digest([*find_specs(BUNDLED_SPECS), *(GENERATORS if options.against in (RANDOM, PREFERENCES) else ())])
    found = {
        question: results.known(question.mutant, question.against, _digest_source(question.mutant.file), asked)
        for question in questions
    }
    known = list_equivalents()
    for question, result in found.items():
        if result is None and is_equivalent(question.mutant, known, question.against):
            found[question] = Result(
                question.mutant, question.against, Fate.SURVIVED, _digest_source(question.mutant.file), asked
            )
    waiting = [question for question, result in found.items() if result is None]
    if waiting and options.against == PREFERENCES:
        # The answers come first: they import machine code, and load_original() compiles all modules that are imported.
        load_original_answers()
        load_original()
    reach.prepare(question.mutant for question in waiting)
    for count, end in enumerate(try_mutants(waiting, options.seconds, options.jobs), 1):
        question = end.question
        unreached = end.fate is Fate.SURVIVED and question.against == "specs" and not reach.comes_to(question.mutant)
        fate = Fate.UNREACHED if unreached else end.fate
        result = Result(
            question.mutant, question.against, fate, _digest_source(question.mutant.file), asked, end.by, end.tried
        )
        found[question] = result
        results.add(result)
        _say(f"{count}/{len(waiting)} {fate} after {end.tried} of {question.against}: {question.mutant}\n")
    return [result for result in found.values() if result is not None]


def list_questions(
    drawn: Sequence[Mutant], options: argparse.Namespace, reach: Reach, results: Results
) -> Iterator[Question]:
    """Yield the questions: ``--count`` for each name of results, or with ``--tried`` all that earlier runs tried."""
    every = _pair_with_types(drawn, reach) if options.against == RANDOM else _pair_with_judge(drawn, options, reach)
    if options.tried:
        yield from (
            question
            for question in every
            if results.has(question.mutant, question.against, _digest_source(question.mutant.file))
        )
        return
    left = dict.fromkeys(_list_names(options.against), options.count or len(drawn))
    for question in every:
        if left[question.against]:
            left[question.against] -= 1
            yield question
        elif not any(left.values()):
            return


def _list_names(against: str) -> list[str]:
    """Return the names under which results are kept: for random models, one for each operand type."""
    return [f"{against} {kind.name}" for kind in PRIMARY_TYPES] if against == RANDOM else [against]


def _pair_with_judge(drawn: Iterable[Mutant], options: argparse.Namespace, reach: Reach) -> Iterator[Question]:
    judge = partial(_JUDGES[options.against], reach)
    return (Question(change, options.against, judge) for change in drawn)


def _pair_with_types(drawn: Iterable[Mutant], reach: Reach) -> Iterator[Question]:
    """Yield a question for each operand type whose models execute the mutant."""
    for change in drawn:
        forms = reach.forms(change)
        for kind, name in zip(PRIMARY_TYPES, _list_names(RANDOM), strict=True):
            if kind in forms:
                yield Question(change, name, partial(against_random, reach, kind))


def _say(line: str) -> None:
    sys.stderr.write(line)
    sys.stderr.flush()


@cache
def _digest_source(file: str) -> str:
    """Return a digest of everything that decides the mutants of a file: its source and the kinds of changes."""
    return _digest([ROOT / file, Path(kinds.__file__), Path(mutant.__file__)])


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
