"""Completion of options and arguments in the shell: functions that typer calls while a user types.

Modules of commands name them as ``autocompletion`` of an option. Names are looked up only when the shell asks for them,
so that importing this module is fast.
"""

from __future__ import annotations

from collections.abc import Iterable


def kinds_of_drivers(incomplete: str) -> list[tuple[str, str]]:
    """Return kinds of driver selectors, each with a description."""
    from nnvet.adapters.selector import known_kinds

    return [(kind.name, kind.summary) for kind in known_kinds().values() if kind.name.startswith(incomplete)]


def operations(incomplete: str) -> list[str]:
    """Return names of operations, in upper or lower case like the word that was begun."""
    from nnvet.hal.enums import OperationType

    names = (operation.name.lower() if incomplete.islower() else operation.name for operation in OperationType)
    return _filter_by_beginning(incomplete, names)


def suites(incomplete: str) -> list[str]:
    """Return names of the suites of ``nnvet run``."""
    from nnvet.conformance.kit.checks import suite_names

    return _filter_by_beginning(incomplete, suite_names())


def profiles(incomplete: str) -> list[tuple[str, str]]:
    """Return names of profiles, each with its title."""
    from nnvet.conformance.profiles.evaluation import profiles as known

    return [(name, profile.title) for name, profile in known().items() if name.startswith(incomplete)]


def liberties(incomplete: str) -> list[tuple[str, str]]:
    """Return ids of the liberties that drivers may declare, each with its meaning."""
    from nnvet.oracle.bounds.liberties import DECLARED

    return [(name, liberty.words) for name, liberty in DECLARED.items() if name.startswith(incomplete)]


def rules(incomplete: str) -> list[str]:
    """Return ids of the contract's rules."""
    from nnvet.hal.rules import all_rules

    return _filter_by_beginning(incomplete, all_rules())


def bugs(incomplete: str) -> list[str]:
    """Return names of the drivers of the zoo."""
    from nnvet.reference_driver.zoo.registry import bugs as known

    return _filter_by_beginning(incomplete, known())


def harnesses(incomplete: str) -> list[str]:
    """Return names of what ``nnvet fuzz`` searches with."""
    from nnvet.fuzz.harness import HARNESSES

    return _filter_by_beginning(incomplete, HARNESSES)


def stress_tests(incomplete: str) -> list[str]:
    """Return names of the tests of ``nnvet stress``."""
    from nnvet.conformance.stress.catalogue import stress_tests as known

    return _filter_by_beginning(incomplete, (test.name for test in known().values()))


def _filter_by_beginning(text: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(text)]
