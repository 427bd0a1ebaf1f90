"""The explanation of a rule by ``nnvet rules``, for users without the documentation at hand."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from nnvet.conformance.kit.checks import Check
from nnvet.conformance.rule_counts import RuleTests, rule_tests
from nnvet.hal.rules import ContractRule
from nnvet.hal.specification import section_of
from nnvet.hal.statuses import declaration_of, status_of

_SHOWN: Final = 6
"""Most lines of a list, because many tests may concern a rule."""


def explanation(rule: ContractRule) -> list[str]:
    """Return lines: the rule, the status for a breach, its place in the specification, and commands that test it."""
    tests = rule_tests(rule.id)
    return [
        rule.id,
        f"  {rule.sentence}",
        f"  {_consequence(rule)}",
        *_operation(rule),
        f"stated in {section_of(rule.id)}",
        *_tested(rule, tests),
    ]


def _consequence(rule: ContractRule) -> str:
    declaration = declaration_of(rule.id)
    where = f"looked at: {rule.phase}"
    return f"{where}; who breaks it gets {status_of(declaration, rule)}" if declaration is not None else where


def _operation(rule: ContractRule) -> Iterator[str]:
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


def _tested(rule: ContractRule, tests: RuleTests) -> Iterator[str]:
    if not any(tests):
        yield "tested by no case of its own"
    if tests.spec_cases:
        yield "spec cases that break it on purpose, and that a driver has to refuse:"
        yield from _some([f"nnvet replay {case} -d DRIVER" for case in tests.spec_cases])
    if tests.checks:
        yield "checks that look for it:"
        yield from _some(list(_selections(tests.checks)))
    if tests.drivers:
        yield "wrong drivers that break it, each a driver to run:"
        yield from _some([f"zoo:{bug.name}  {bug.summary}" for bug in tests.drivers])
    if declaration := declaration_of(rule.id):
        yield "all that exercises its operation:"
        yield f"  nnvet run -d DRIVER --op {shlex.quote(declaration.name)}"


def _selections(found: Sequence[Check]) -> Iterator[str]:
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


def _some(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"  and {len(lines) - _SHOWN:,} more"
