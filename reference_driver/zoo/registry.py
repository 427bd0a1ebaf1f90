"""The table of planted bugs, filled by the modules of this package; ``zoo:NAME`` selects one as a driver.

::

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
_BUGS: list[Bug] = []


class Signs(NamedTuple):
    """Signs of wrong values. ``cases`` are globs of cases of the operation, some of which fail.

    ``common`` are the attributes that decide if a result is wrong; empty if all results are. ``looks`` are regular
    expressions for the descriptions that fit the error.
    """

    cases: tuple[str, ...]
    common: tuple[str, ...]
    looks: tuple[str, ...]


@dataclass(frozen=True)
class Bug:
    """One wrong driver. ``rules`` are globs of the rules that it is certain to break.

    ``breaks`` are globs of exactly the case ids that must not pass, but for those of ``spares``.

    ``service``: the bug ends or stops its process, so it must not run in the suite's own. ``harness``: the harness of
    ``nnvet fuzz`` that finds the bug, which breaks no case of the suite; ``sign`` is a glob of kind, rule and place of
    what it finds. ``stress``: the test of ``nnvet stress`` that finds it, and how that ends. ``models``: a glob of the
    bundled models of ``nnvet bench`` of which at least one shows it. ``strict``: it keeps the contract, and only
    ``--strict`` makes a failure of it. ``signs``: values of one operation are wrong, and reports say in what way.
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

    @property
    def breaks_cases(self) -> bool:
        """Return True if the bug states for each case whether the case finds it."""
        return not (self.harness or self.stress or self.models or self.signs)


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
    """Register a driver that passes the suite, and whose fault a harness of ``nnvet fuzz`` finds."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, (), (), make, service, harness=harness, sign=sign))
        return make

    return register


def stress_bug(name: str, summary: str, test: str, end: str) -> Callable[[Factory], Factory]:
    """Register a driver whose fault shows only under load: the stress test ``test`` has to end in this manner."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, (), (), make, service=True, stress=(test, end)))
        return make

    return register


def bench_bug(name: str, summary: str, models: str) -> Callable[[Factory], Factory]:
    """Register a driver whose fault shows only in networks of real size: one of ``models`` fails on it."""

    def register(make: Factory) -> Factory:
        _BUGS.append(Bug(name, summary, (), (), make, models=models))
        return make

    return register


def value_bug(name: str, summary: str, signs: Signs, make: Factory) -> None:
    """Register a driver with wrong values of one operation."""
    _BUGS.append(Bug(name, summary, (), (), make, signs=signs))


@cache
def bugs() -> dict[str, Bug]:
    """All bugs by name, after importing every module of this package.

    :raises ValueError: two bugs have the same name.
    """
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    by_name = {known.name: known for known in sorted(_BUGS, key=lambda known: known.name)}
    if len(by_name) != len(_BUGS):
        raise ValueError("two bugs of the zoo have the same name")
    return by_name


def create(argument: str) -> Device:
    """Make the driver with the bug of that name.

    :raises ValueError: there is no such bug.
    """
    known = bugs()
    if argument not in known:
        near = nearest_names(argument, known)
        advice = f"the nearest are {', '.join(near)}; " if near else ""
        raise ValueError(f"the zoo has no bug {argument!r}; {advice}nnvet zoo lists them")
    return known[argument].make()
