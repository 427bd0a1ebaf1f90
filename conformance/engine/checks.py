"""Checks: what is tested, by suite and name. A check is a function that raises ``CaseFailed``.

::

    @check("BasicTest", "GetCapabilitiesTest", rules=("query/capabilities",))
    def get_capabilities(subject: Subject, _: None) -> None:
        ...

``parameters`` makes one case of each named value; ``over`` makes one of each spec case that it takes. A check with a
``model_test`` can run any other model in its manner, so that a failing test runs again from a file, or smaller.

A case is data: which check, with which argument. It can be pickled, listed, and sent to another process. When it runs,
its check is found by its names, and its spec in its file; nothing is built before.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import msgspec

import nnvet.conformance.suites as package
from nnvet.conformance.engine.outcome import PASSED, CaseFailed, Outcome, fail, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.specs.case import SpecCase
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.oracle import Tolerance
from nnvet.transport.wire.failures import NotSentError


class CaseId(NamedTuple):
    """``SUITE/CHECK`` or ``SUITE/CHECK/ARGUMENT``: unique in a run, stable, the same in every output.

    ``argument`` is the name of a spec's case, or of one of the values that the check goes through. What an id means is
    looked up (:meth:`nnvet.conformance.engine.nearest.resolve`): names of checks may have slashes, too.
    """

    suite: str
    check: str
    argument: str = ""

    def __str__(self) -> str:
        """The text of the id."""
        return "/".join(self) if self.argument else f"{self.suite}/{self.check}"


class SpecAddress(msgspec.Struct, frozen=True):
    """A case of a spec file: ``name`` is the one that its file gives it."""

    path: str
    name: str


class Case(msgspec.Struct, frozen=True):
    """One case of a run.

    ``needed_level`` is the feature level without which it means nothing; None: not known. ``usual`` cases run without
    being asked for by id or by the full matrix. Cases of one ``unit`` share work and stay in one shard.
    """

    name: CaseId
    unit: str
    spec: SpecAddress | None = None
    needed_level: int | None = None
    usual: bool = True

    @property
    def named_operations(self) -> list[str]:
        """Operations that its id names, as those of checks that go through operations do."""
        return _named_in().findall(self.id)

    @property
    def id(self) -> str:
        """Id in logs, reports and on the command line."""
        return str(self.name)


@cache
def _named_in() -> re.Pattern[str]:
    # The longest first: ADD_TENSOR_FLOAT32 is of ADD, ARGMAX is no ARG.
    names = sorted((operation.name for operation in OperationType), key=len, reverse=True)
    return re.compile(rf"(?<=[/.])({'|'.join(names)})(?=[/._]|$)")


OUTPUT_RULES: Final = ("execution/output.value", "execution/output.bound", "execution/status", "prepare/supported")
"""Rules that a check may find broken which runs a model and looks at its outputs."""


@dataclass(frozen=True)
class ModelTest:
    """``test_of`` makes the test of an argument of the check, with expected outputs; ``run`` runs and judges any test.

    ``run`` raises ``CaseFailed`` if the driver is not right. ``tolerances`` are those of the single elements of each
    output; None: such an output is not compared element by element.
    """

    test_of: Callable[[Any], TestModel]
    run: Callable[[Subject, TestModel], None]
    tolerances: Callable[[TestModel], list[Tolerance | None]]


Body = Callable[[Subject, Any], Outcome | None]
"""Returns nothing, or ``passed`` with evidence."""

EVERY_CALL: Final = ("driver/reply", "driver/exception", "driver/notification", "driver/persistent")
"""Rules that any call may show to be broken."""
VALID_MODEL: Final = ("prepare/valid", "prepare/supported", "prepare/supported.count")
VALID_EXECUTION: Final = (
    "execution/status",
    "execution/timing",
    "execution/output.*",
    "allocate/supported",
    "buffer/copy",
)
"""Rules that a check may show to be broken before it comes to its own: it prepares and executes what is valid."""

_CHECKS: list[Check] = []


@dataclass(frozen=True)
class Check:
    """One check. ``rules`` are globs of the rules that it is there to find broken.

    ``level`` is the first feature level that has it.

    ``parameters`` are the named values that it goes through. ``over`` decides on the outline of a spec's case whether
    the check takes it; ``any_level``: even if it needs more than the driver's level. ``usual`` says whether a run that
    is not asked for the full matrix has the check, or picks the values or specs' cases that it has; by default it has
    all checks but those over specs. Reports count cases by operation and type if the check ``judges_operations``, which
    are those of the spec, or ``judges`` names them for the value of a parameter. If it
    ``needs_operation``, it says nothing of a driver that supports no operation, which therefore must not pass it. One
    whose cases run a model of their own each, and judge its outputs, has a ``model_test``. One with cases without end
    ``reads`` the value of an argument that is not among its parameters, None if no case has it; such an argument ends
    with a slash and a number.
    """

    suite: str
    name: str
    body: Body
    rules: tuple[str, ...] = ()
    level: int = 1
    parameters: Callable[[], Mapping[str, Any]] | None = None
    over: Callable[[TestModel], bool] | None = None
    any_level: bool = False
    usual: bool | Callable[[Any], bool] | None = None
    judges_operations: bool = False
    judges: Callable[[Any], tuple[OperationType, OperandType]] | None = None
    needs_operation: bool = True
    model_test: ModelTest | None = None
    reads: Callable[[str], Any] | None = None

    @property
    def id(self) -> str:
        """``SUITE/NAME``, with which the ids of its cases begin."""
        return f"{self.suite}/{self.name}"

    @property
    def finds(self) -> tuple[str, ...]:
        """Globs of all rules that it may find broken, those of what it takes for granted among them."""
        granted = (*VALID_MODEL, *VALID_EXECUTION) if self.needs_operation else ()
        return (*self.rules, *EVERY_CALL, *granted)

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The named values that it goes through."""
        return {} if self.parameters is None else self.parameters()

    def cases(self) -> Iterator[Case]:
        """Its cases, if it needs no spec."""
        if self.over is not None:
            return
        arguments = {"": None} if self.parameters is None else self.values
        for argument, value in arguments.items():
            yield self._case(argument, usual=self.is_usual(value))

    def case_of(self, argument: str) -> Case:
        """The case of an argument that it reads, which runs because it is asked for."""
        return self._case(argument, usual=True)

    def value_of(self, argument: str) -> Any:
        """Return the value for the check that an argument names; None if no case has it."""
        value = self.values.get(argument)
        return self.reads(argument) if value is None and self.reads is not None else value

    def _case(self, argument: str, *, usual: bool) -> Case:
        return Case(CaseId(self.suite, self.name, argument), self.id, needed_level=self.level, usual=usual)

    def case_over(self, argument: str, spec: SpecCase) -> Case:
        """Its case over a spec's case, which has the name ``argument`` in this run."""
        needed = self.level if self.any_level else max(self.level, spec.min_supported_version or 1)
        address = SpecAddress(str(spec.path), spec.name)
        return Case(CaseId(self.suite, self.name, argument), argument, address, needed, self.is_usual(spec))

    @property
    def has_usual(self) -> bool:
        """True if a run that is not asked for the full matrix has any case of it."""
        return self.over is None if self.usual is None else bool(self.usual)

    def is_usual(self, value: Any) -> bool:
        """Return True if a run that is not asked for the full matrix has the case of a value, or of a spec's case."""
        return self.usual(value) if callable(self.usual) else self.has_usual

    def run(self, subject: Subject, case: Case, argument: Any) -> Outcome:
        """Run on a value or a spec's case; UNSUPPORTED below the level that the case needs.

        :raises DriverGone: the driver's process died, or gave no answer in time.
        :raises NotSentError: the check has called the driver with what cannot be sent.
        """

        def run() -> Outcome | None:
            if subject.feature_level < (case.needed_level or 1):
                level = subject.feature_level
                raise unsupported(f"begins at feature level {case.needed_level}, the driver has {level}", "model/level")
            return self.body(subject, argument)

        return outcome_of(run)


def outcome_of(run: Callable[[], Outcome | None]) -> Outcome:
    """The outcome of what runs a test and judges it; raises like :meth:`Check.run`."""
    try:
        return run() or PASSED
    except CaseFailed as failed:
        return failed.outcome
    except NotSentError:
        raise
    except HalError as error:
        # What the driver says that is wrong need not be what the check is about.
        rule = error.rule if error.rule in EVERY_CALL else "execution/status"
        return fail(rule, f"a call fails that must not: {error}", driver_rule=error.rule).outcome


def check(suite: str, name: str, **options: Any) -> Callable[[Body], Body]:
    """Register a function as a check; ``options`` are the fields of :class:`Check`."""

    def register(body: Body) -> Body:
        _CHECKS.append(Check(suite, name, body, **options))
        return body

    return register


@cache
def checks() -> Mapping[str, Check]:
    """All checks by id, after importing every module of the suites.

    :raises ValueError: two checks have the same suite and name.
    """
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    found = {known.id: known for known in _CHECKS}
    if len(found) != len(_CHECKS):
        raise ValueError("two checks have the same suite and name")
    return found


def suite_names() -> list[str]:
    """Every suite that has a check, sorted."""
    return sorted({known.suite for known in checks().values()})
