"""Tests of each rule of the contract: checks, wrong drivers of the zoo, and cases of the spec corpus.

:func:`rule_counts` counts them for the table of ``nnvet rules``, and :func:`explanation` lists them for a single rule,
for users without the documentation at hand. Checks and wrong drivers declare their rules. Spec cases do not: the rule
that a case breaks on purpose is taken from the bundled driver's refusal. ``python -m nnvet.conformance.rule_counts``
(``make rule-counts``) asks the driver, and stores the ids of the cases beside this module. The rules themselves are in
:mod:`nnvet.hal.rules`.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from nnvet.adapters.drivers import open_driver
from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.kit.checks import CaseId, Check, checks
from nnvet.conformance.kit.executing import Executor
from nnvet.conformance.kit.siblings import find_refusal
from nnvet.conformance.suites.generated.table import SUITES
from nnvet.generators.specs import SpecCase, find_specs, load_spec
from nnvet.graphs.model import TestModel
from nnvet.hal.interfaces import Device
from nnvet.hal.rules import ContractRule, all_rules
from nnvet.hal.specification import declaration_of, section_of, status_of
from nnvet.reference_driver.zoo.registry import Bug, bugs

RECORD: Final = Path(__file__).parent / "rule_spec_cases.json"
"""File of the ids of spec cases by the rule that they break."""


class RuleCounts(NamedTuple):
    """Number of checks that can find a rule broken, and of zoo drivers and spec cases that break it on purpose."""

    checks: int
    drivers: int
    spec_cases: int


class RuleTests(NamedTuple):
    """Checks that are there to find a rule broken, drivers of the zoo that break it, spec cases that do on purpose."""

    checks: tuple[Check, ...]
    drivers: tuple[Bug, ...]
    spec_cases: tuple[str, ...]


def rule_tests(rule: str) -> RuleTests:
    """Return the tests of a rule."""
    return RuleTests(
        tuple(check for check in checks().values() if rule in _match_rules(check.rules)),
        tuple(bug for bug in bugs().values() if rule in _match_rules(bug.rules)),
        recorded_spec_cases().get(rule, ()),
    )


def rule_counts() -> dict[str, RuleCounts]:
    """Return the counts of every rule, by its id."""
    of_checks = _count_matches(check.finds for check in checks().values())
    of_drivers, of_cases = _count_matches(bug.rules for bug in bugs().values()), recorded_spec_cases()
    return {rule: RuleCounts(of_checks[rule], of_drivers[rule], len(of_cases.get(rule, ()))) for rule in all_rules()}


def _count_matches(declared: Iterable[tuple[str, ...]]) -> Counter[str]:
    """Return the number of tuples of globs that match each rule."""
    return Counter(rule for globs in declared for rule in _match_rules(globs))


@cache
def _match_rules(globs: tuple[str, ...]) -> frozenset[str]:
    """Return the rules that match one of the globs."""
    return frozenset(rule for rule in all_rules() if any(fnmatchcase(rule, glob) for glob in globs))


@cache
def recorded_spec_cases() -> dict[str, tuple[str, ...]]:
    """Return the stored ids of bundled spec cases that break each rule on purpose, by rule."""
    return msgspec.json.decode(RECORD.read_bytes(), type=dict[str, tuple[str, ...]])


def failing_cases() -> Iterator[SpecCase]:
    """Return the cases of the bundled corpus that must fail."""
    return (case for path in find_specs(BUNDLED_SPECS) for case in load_spec(path) if case.expect_failure)


def broken_on_purpose(cases: Iterable[SpecCase]) -> dict[str, tuple[str, ...]]:
    """Return the rules for which the bundled driver refuses cases that must fail, with the ids of the cases."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    with open_driver("reference", in_process=True) as bundled:
        for case in cases:
            found[rule_of(bundled.device, case.build())].append(_make_id(case))
    # Loops without end miss a deadline of the client: no rule is broken.
    return {rule: tuple(sorted(ids)) for rule, ids in found.items() if rule}


def _make_id(case: SpecCase) -> str:
    """Return the id of the case in which a spec that must fail is executed."""
    suite = next(candidate for candidate in SUITES if candidate.only_failures and candidate.takes(case.outline))
    return str(CaseId(suite.name, Executor.SYNC.value, case.name))


def rule_of(device: Device, test: TestModel) -> str:
    """Return the rule for which a driver refuses a model or its request; nothing if it takes both."""
    refusal = find_refusal(device, test)
    return "" if refusal is None else refusal.rule


def record() -> None:
    """Ask the bundled driver, and store the ids."""
    ids = broken_on_purpose(failing_cases())
    encoded = msgspec.json.encode({rule: ids[rule] for rule in sorted(ids)})
    RECORD.write_bytes(msgspec.json.format(encoded, indent=1) + b"\n")


_SHOWN: Final = 6
"""Most lines of a list, because many tests may concern a rule."""


def explanation(rule: ContractRule) -> list[str]:
    """Return lines: the rule, the status for a breach, its place in the specification, and commands that test it."""
    tests = rule_tests(rule.id)
    return [
        rule.id,
        f"  {rule.sentence}",
        f"  {_describe_consequence(rule)}",
        *_describe_operation(rule),
        f"stated in {section_of(rule.id)}",
        *_describe_tests(rule, tests),
    ]


def _describe_consequence(rule: ContractRule) -> str:
    """Return the phase in which a rule is checked, and the status for a breach."""
    declaration = declaration_of(rule.id)
    where = f"looked at: {rule.phase}"
    return f"{where}; who breaks it gets {status_of(declaration, rule)}" if declaration is not None else where


def _describe_operation(rule: ContractRule) -> Iterator[str]:
    """Yield lines about the operation that a rule belongs to, if it does."""
    declaration = declaration_of(rule.id)
    if declaration is None:
        return
    yield f"  {declaration.name}: {declaration.summary}; since feature level {declaration.level}"
    for signature in declaration.signatures:
        names = ", ".join(f"{number} {formal.name}" for number, formal in enumerate(signature.inputs))
        yield f"    inputs ({signature.name}): {names}"
    for row in declaration.rows:
        if row.types:
            kinds = ", ".join(f"{variable} {kind.name}" for variable, kind in row.types.items())
            yield f"    types since feature level {row.level}: {kinds}"
    yield f"    outputs: {', '.join(f'{number} {output.name}' for number, output in enumerate(declaration.outputs))}"


def _describe_tests(rule: ContractRule, tests: RuleTests) -> Iterator[str]:
    """Yield lines with the commands that test a rule."""
    if not any(tests):
        yield "tested by no case of its own"
    if tests.spec_cases:
        yield "spec cases that break it on purpose, and that a driver has to refuse:"
        yield from _shorten_list([f"nnvet replay {case} -d DRIVER" for case in tests.spec_cases])
    if tests.checks:
        yield "checks that look for it:"
        yield from _shorten_list(list(_list_commands(tests.checks)))
    if tests.drivers:
        yield "wrong drivers that break it, each a driver to run:"
        yield from _shorten_list([f"zoo:{bug.name}  {bug.summary}" for bug in tests.drivers])
    if declaration := declaration_of(rule.id):
        yield "all that exercises its operation:"
        yield f"  nnvet run -d DRIVER --op {shlex.quote(declaration.name)}"


def _list_commands(found: Sequence[Check]) -> Iterator[str]:
    """Return commands that run checks: one for each check if they are few, else one for each suite."""
    if len(found) <= _SHOWN:
        parts = {
            check.id if check.parameters is None and check.over is None else f"{check.id}/*": [check] for check in found
        }
    else:
        suites = [suite for suite, _ in Counter(check.suite for check in found).most_common()]
        parts = {f"{suite}/*": [check for check in found if check.suite == suite] for suite in suites}
    for glob, members in parts.items():
        full = "" if any(member.has_usual for member in members) else " --full"
        yield f"nnvet run -d DRIVER --only {shlex.quote(glob)}{full}"


def _shorten_list(lines: Sequence[str]) -> Iterator[str]:
    """Yield the first lines, indented, and the number of the others."""
    yield from (f"  {line}" for line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"  and {len(lines) - _SHOWN:,} more"


if __name__ == "__main__":
    record()
