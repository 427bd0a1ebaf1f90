"""Hand-written checks, one module per file of VTS. A check is a function that raises ``CaseFailed``.

::

    @check("BasicTest", "GetCapabilitiesTest", rules=("query/capabilities",))
    def get_capabilities(subject: Subject, _: None) -> None:
        ...

``parameters`` makes one case of each named value; ``over`` makes one of each spec case that it takes.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import nnvet.conformance.suites as package
from nnvet.conformance.engine.outcome import PASSED, CaseFailed, Outcome, fail, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.specs import Case as SpecCase
from nnvet.generators.test_model import TestModel
from nnvet.hal.errors import HalError

Body = Callable[[Subject, Any], Outcome | None]
"""Returns nothing, or ``passed`` with evidence."""

_CHECKS: list[Check] = []


@dataclass(frozen=True)
class Check:
    """One check. ``rules`` are the rules that it may find broken, ``level`` the first feature level that has it.

    ``any_level``: it also takes spec cases that need more than the driver's level. ``usual`` picks the parameters of a
    run that is not asked for the full matrix.
    """

    suite: str
    name: str
    body: Body
    rules: tuple[str, ...] = ()
    level: int = 1
    parameters: Callable[[], Mapping[str, Any]] | None = None
    over: Callable[[TestModel], bool] | None = None
    any_level: bool = False
    usual: Callable[[Any], bool] = lambda _: True

    def cases(self) -> Iterator[CheckCase]:
        """The check's cases, if it needs no spec."""
        unit = (self.suite, self.name)
        if self.parameters is not None:
            for name, value in self.parameters().items():
                yield CheckCase(f"{self.suite}/{self.name}/{name}", self, value, unit)
        elif self.over is None:
            yield CheckCase(f"{self.suite}/{self.name}", self, None, unit)

    def case_of(self, name: str, spec: SpecCase, outline: TestModel) -> CheckCase | None:
        """The check's case over a spec case, which has ``name`` in this run; None if it does not take it."""
        if self.over is None or not self.over(outline):
            return None
        needed = None if self.any_level else spec.min_supported_version
        return CheckCase(f"{self.suite}/{self.name}/{name}", self, spec, id(spec), needed)


@dataclass(frozen=True)
class CheckCase:
    """A check with its parameter; see :class:`nnvet.conformance.engine.case.Case`."""

    id: str
    check: Check
    parameter: Any = field(compare=False)
    unit: Hashable = None
    spec_level: int | None = None

    @property
    def needed_level(self) -> int | None:
        """The higher of the check's level and the spec's, as far as they are known."""
        return max(self.check.level, self.spec_level or 0)

    @property
    def usual(self) -> bool:
        """Checks over every spec, and parameters that the check says, belong to the full matrix."""
        return self.check.over is None and self.check.usual(self.parameter)

    def run(self, subject: Subject) -> Outcome:
        """Run the check; it is UNSUPPORTED below its feature level."""
        try:
            if subject.feature_level < (self.needed_level or 0):
                level = subject.feature_level
                raise unsupported(f"begins at feature level {self.needed_level}, the driver has {level}", "model/level")
            return self.check.body(subject, self.parameter) or PASSED
        except CaseFailed as failed:
            return failed.outcome
        except HalError as error:
            if error.rule.startswith("wire/"):
                raise
            return fail(error.rule or "driver/reply", f"a call fails that must not: {error}").outcome

    def labels(self, subject: Subject) -> dict[str, Any]:
        """Suite and check."""
        del subject
        return {"suite": self.check.suite, "way": self.check.name}


def check(
    suite: str,
    name: str,
    *,
    rules: tuple[str, ...] = (),
    level: int = 1,
    parameters: Callable[[], Mapping[str, Any]] | None = None,
    over: Callable[[TestModel], bool] | None = None,
    any_level: bool = False,
    usual: Callable[[Any], bool] = lambda _: True,
) -> Callable[[Body], Body]:
    """Register a function as a check."""

    def register(body: Body) -> Body:
        _CHECKS.append(Check(suite, name, body, rules, level, parameters, over, any_level, usual))
        return body

    return register


@cache
def checks() -> tuple[Check, ...]:
    """All checks, after importing every module of the suites.

    :raises ValueError: two checks have the same suite and name.
    """
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    names = [(one.suite, one.name) for one in _CHECKS]
    if len(set(names)) != len(names):
        raise ValueError("two checks have the same suite and name")
    return tuple(_CHECKS)
