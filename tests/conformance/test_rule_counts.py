"""Cases that can show each rule broken: declared rules exist, and the stored counts of spec cases are fresh."""

from fnmatch import fnmatchcase

from nnvet.conformance.kit.checks import checks
from nnvet.conformance.rule_counts import broken_on_purpose, failing_cases, recorded_spec_cases, rule_counts
from nnvet.hal.rules import all_rules
from nnvet.reference_driver.zoo.registry import bugs


def test_every_declared_glob_matches_a_rule() -> None:
    """Neither a check nor a wrong driver declares what the contract does not have."""
    declared = {(check.id, glob) for check in checks().values() for glob in check.finds}
    declared |= {(bug.name, glob) for bug in bugs().values() for glob in bug.rules}
    assert {(who, glob) for who, glob in declared if not any(fnmatchcase(rule, glob) for rule in all_rules())} == set()


def test_every_check_declares_a_rule() -> None:
    """There is nothing to check where no rule can be broken."""
    assert [check.id for check in checks().values() if not check.rules] == []


def test_the_stored_counts_are_those_of_the_corpus() -> None:
    """``make rule-counts`` has been run since the failing specs were changed."""
    assert recorded_spec_cases() == broken_on_purpose(failing_cases())


def test_counts_add_up() -> None:
    """A rule that one driver of the zoo breaks has one, and the checks that find it."""
    counts = rule_counts()["device/version"]
    assert counts.drivers == 1
    assert counts.checks == 1
    assert counts.spec_cases == 0
