"""The table of planted bugs, filled by the modules of this package; ``zoo:NAME`` selects a bug as a driver.

A decorator registers a function that makes a wrong driver, with all that must find the bug: :func:`bug` for bugs that
cases of the suite find, and others for the fuzzer, stress tests and benchmarks. :func:`bugs` returns the table, and
:func:`create` makes the driver of a selector::

    @bug(
        "empty-version",
        "The version string is empty.",
        rules=("device/version",),
        breaks=("BasicTest/GetDeviceVersionStringTest",),
    )
    def empty_version() -> Device:
        ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import nnvet.reference_driver.zoo as package
from nnvet.diagnostics.nearest_names import nearest_names
from nnvet.hal.interfaces import Device

Factory = Callable[[], Device]
"""Function that makes a wrong driver."""
_BUGS: list[Bug] = []
"""All registered bugs, in the order of registration."""


class Signs(NamedTuple):
    """Signs of wrong values. ``cases`` are globs of cases of the operation; some of them fail.

    ``common`` are the attributes that decide whether a result is wrong; empty if all results are wrong. ``looks``
    are regular expressions for the descriptions that fit the error.
    """

    cases: tuple[str, ...]
    common: tuple[str, ...]
    looks: tuple[str, ...]


@dataclass(frozen=True)
class Bug:
    """A wrong driver. ``rules`` are globs of rules that the driver is certain to break.

    ``breaks`` are globs of exactly the case ids that must not pass, except for those of ``spares``.

    ``service``: the bug ends or stops its process, so it must not run in the suite's own process. ``harness``: the
    harness of ``nnvet fuzz`` that finds the bug, while no case of the suite does; ``sign`` is then a glob of kind, rule
    and place of the finding. ``stress``: the test of ``nnvet stress`` that finds the bug, and how that test ends.
    ``models``: a glob of bundled models of ``nnvet bench``, at least one of which shows the bug. ``strict``: the driver
    keeps the contract, and only ``--strict`` fails it. ``signs``: the values of one operation are wrong, and reports
    have to say in what manner.
    """

    name: str
    summary: str
    rules: tuple[str, ...]
    breaks: tuple[str, ...]
    make: Factory
    service: bool = False
    spares: tuple[str, ...] = ()
    harness: str = ""
    sign: str = ""
    stress: tuple[str, str] | None = None
    models: str = ""
    strict: bool = False
    signs: Signs | None = None
    ends: tuple[str, ...] = ()
    example: tuple[str, str] | None = None

    @property
    def breaks_cases(self) -> bool:
        """True if the registration lists every case that finds the bug."""
        return not (self.harness or self.stress or self.models or self.signs or self.ends or self.example)


def bug(
    name: str,
    summary: str,
    *,
    rules: tuple[str, ...],
    breaks: tuple[str, ...],
    service: bool = False,
    spares: tuple[str, ...] = (),
    strict: bool = False,
) -> Callable[[Factory], Factory]:
    """Register a factory as the driver ``zoo:NAME``."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, rules, breaks, make, service, spares, strict=strict))
        return make

    return register


def fuzz_bug(
    name: str, summary: str, harness: str, sign: str, *, service: bool = False
) -> Callable[[Factory], Factory]:
    """Register a driver that passes the suite, but has a fault that a harness of ``nnvet fuzz`` finds."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, (), (), make, service, harness=harness, sign=sign))
        return make

    return register


def stress_bug(name: str, summary: str, test: str, end: str) -> Callable[[Factory], Factory]:
    """Register a driver whose fault shows only under load: the stress test ``test`` has to end with ``end``."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, (), (), make, service=True, stress=(test, end)))
        return make

    return register


def bench_bug(name: str, summary: str, models: str) -> Callable[[Factory], Factory]:
    """Register a driver whose fault shows only in networks of real size: at least one of ``models`` fails."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, (), (), make, models=models))
        return make

    return register


def example_bug(name: str, summary: str, cases: str, rule: str) -> Callable[[Factory], Factory]:
    """Register a driver that breaks many cases: all cases that match the glob ``cases`` fail by ``rule``."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, (rule,), (), make, example=(cases, rule)))
        return make

    return register


def run_bug(name: str, summary: str, ends: str) -> Callable[[Factory], Factory]:
    """Register a driver whose fault any suite meets; ``ends`` are four verdicts in one text (see ``runs.py``)."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, (), (), make, service=True, ends=tuple(ends.split())))
        return make

    return register


def value_bug(name: str, summary: str, signs: Signs, make: Factory) -> None:
    """Register a driver with wrong values of one operation."""
    _BUGS.append(Bug(name, summary, (), (), make, signs=signs))


@cache
def bugs() -> dict[str, Bug]:
    """Return all bugs by name, after importing every module of this package.

    :raises ValueError: two bugs have the same name.
    """
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    by_name = {known.name: known for known in sorted(_BUGS, key=lambda known: known.name)}
    if len(by_name) != len(_BUGS):
        raise ValueError("two bugs of the zoo have the same name")
    return by_name


def create(argument: str) -> Device:
    """Make the driver with the bug of this name.

    :raises ValueError: no bug has this name; the text lists similar names.
    """
    known = bugs()
    if argument not in known:
        near = nearest_names(argument, known)
        advice = f"the nearest are {', '.join(near)}; " if near else ""
        raise ValueError(f"the zoo has no bug {argument!r}; {advice}nnvet zoo lists them")
    return known[argument].make()
