"""Checks, the units of which suites are made. A check is a function that raises ``CaseFailed`` if the driver is wrong.

Suites register their checks with the decorator :func:`check`::

    @check("BasicTest", "GetCapabilitiesTest", rules=("query/capabilities",))
    def get_capabilities(subject: Subject, _: None) -> None:
        ...

``parameters`` makes one case of each named value; ``over`` makes one of each spec case that it accepts. A check with a
``model_test`` can run any other model in the same way, so that a failing test runs again from a file, or reduced.

A :class:`Case` is plain data: the name of a check and an argument. It can be pickled, listed, and sent to another
process. Only when a case runs, its check is looked up by name, and its spec is read from the file.

To add a check, write it into a module of ``conformance/suites``; :func:`checks` imports them all.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import msgspec

import nnvet.conformance.suites as package
from nnvet.conformance.kit.outcome import PASSED, CaseFailed, Outcome, fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.specs.case import SpecCase
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.oracle import Tolerance
from nnvet.transport.wire.failures import NotSentError


class CaseId(NamedTuple):
    """Id of a case: ``SUITE/CHECK`` or ``SUITE/CHECK/ARGUMENT``, unique in a run and the same in every output.

    ``argument`` is the name of a spec's case, or of a parameter of the check. Names of checks may have slashes, too, so
    an id cannot simply be split: :meth:`nnvet.conformance.engine.nearest.resolve` looks it up.
    """

    suite: str
    check: str
    argument: str = ""

    def __str__(self) -> str:
        """Return the text of the id."""
        return "/".join(self) if self.argument else f"{self.suite}/{self.check}"


class SpecAddress(msgspec.Struct, frozen=True):
    """Place of a spec's case: the path of the file, and the case's name within the file."""

    path: str
    name: str


class Case(msgspec.Struct, frozen=True):
    """A case of a run.

    ``needed_level`` is the lowest feature level at which the case makes sense; None: unknown. ``usual`` cases belong to
    every run; the others run only by full id or in the full matrix. Cases of one ``unit`` share work and stay in one
    shard.
    """

    name: CaseId
    unit: str
    spec: SpecAddress | None = None
    needed_level: int | None = None
    usual: bool = True

    @property
    def named_operations(self) -> list[str]:
        """Return the operations that the id names, as the ids of checks with a case for each operation do."""
        return _operation_pattern().findall(self.id)

    @property
    def id(self) -> str:
        """Return the id in logs, reports and on the command line."""
        return str(self.name)


@cache
def _operation_pattern() -> re.Pattern[str]:
    """Return a pattern that finds the names of operations in the id of a case."""
    # The longest name first, so that a name is not mistaken for a shorter one that it begins with.
    names = sorted((operation.name for operation in OperationType), key=len, reverse=True)
    return re.compile(rf"(?<=[/.])({'|'.join(names)})(?=[/._]|$)")


OUTPUT_RULES: Final = ("execution/output.value", "execution/output.bound", "execution/status", "prepare/supported")
"""Rules that a check of a model's outputs may find broken."""


@dataclass(frozen=True)
class ModelTest:
    """Functions of a check of models: ``test_of`` makes the test of an argument, ``run`` runs and judges any test.

    ``run`` raises ``CaseFailed`` if the driver is wrong. ``tolerances`` returns the tolerances of each output's
    elements; None: such an output is not compared element by element.
    """

    test_of: Callable[[Any], TestModel]
    run: Callable[[Subject, TestModel], None]
    tolerances: Callable[[TestModel], list[Tolerance | None]]


Body = Callable[[Subject, Any], Outcome | None]
"""Function of a check; it returns nothing, or ``passed`` with evidence."""

EVERY_CALL: Final = ("driver/reply", "driver/exception", "driver/notification", "driver/persistent")
"""Rules that any call may find broken."""
VALID_MODEL: Final = ("prepare/valid", "prepare/supported", "prepare/supported.count")
"""Rules that any check may find broken while it prepares a valid model."""
VALID_EXECUTION: Final = (
    "execution/status",
    "execution/timing",
    "execution/output.*",
    "allocate/supported",
    "buffer/copy",
)
"""Rules that any check may find broken while it executes a valid model, before it tests its own rules."""

_CHECKS: list[Check] = []
"""Checks in the order of their registration."""


@dataclass(frozen=True)
class Check:
    """A check, with the cases that it makes.

    ``rules``: globs of the rules that it is there to find broken. ``level``: first feature level that has it.

    Its cases: ``parameters`` are named values, one case each. ``over`` decides by the outline of a spec's case whether
    the check runs on it; with ``any_level`` even if the case needs more than the driver's level. ``reads`` is for
    checks with infinitely many cases: it returns the value of an argument ``TEXT/NUMBER``, None if there is no such
    case. ``usual`` says whether the usual run, without the full matrix, has the check, or which values or spec cases of
    it; by default it has all checks except those over specs. ``kinds`` are those of the selectors of drivers that it
    is about, all if empty; a run on others has it only if it is asked for.

    Its results: reports count cases by operation and type if the check ``judges_operations`` of the spec, or if
    ``judges`` names the operations of a parameter. A check that ``needs_operation`` proves nothing for a driver without
    any operation, which therefore must not pass it. ``model_test`` belongs to checks whose cases run a model each and
    judge its outputs.

    ``announce`` sends the first calls of a case before its turn, and keeps them in :func:`begun_ahead`. Thus drivers
    behind a link get those of several cases together.
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
    kinds: tuple[str, ...] = ()
    announce: Callable[[Subject, Any], None] | None = None

    @property
    def id(self) -> str:
        """Return ``SUITE/NAME``, the beginning of the ids of all cases of the check."""
        return f"{self.suite}/{self.name}"

    @property
    def finds(self) -> tuple[str, ...]:
        """Return globs of all rules that the check may find broken, also by the valid calls that it makes first."""
        granted = (*VALID_MODEL, *VALID_EXECUTION) if self.needs_operation else ()
        return (*self.rules, *EVERY_CALL, *granted)

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """Return the values of the check's cases by name."""
        return {} if self.parameters is None else self.parameters()

    def cases(self) -> Iterator[Case]:
        """Return the cases of the check; none if it runs over specs."""
        if self.over is not None:
            return
        arguments = {"": None} if self.parameters is None else self.values
        for argument, value in arguments.items():
            yield self._make_case(argument, usual=self.is_usual(value))

    def case_of(self, argument: str) -> Case:
        """Return the case of an argument that the check reads; such a case runs because it was named."""
        return self._make_case(argument, usual=True)

    def value_of(self, argument: str) -> Any:
        """Return the value that an argument names; None if no case of the check has that argument."""
        value = self.values.get(argument)
        return self.reads(argument) if value is None and self.reads is not None else value

    def _make_case(self, argument: str, *, usual: bool) -> Case:
        """Return the case of an argument."""
        return Case(CaseId(self.suite, self.name, argument), self.id, needed_level=self.level, usual=usual)

    def case_over(self, argument: str, spec: SpecCase) -> Case:
        """Return the case that runs the check on a spec's case, which has the name ``argument`` in this run."""
        needed = self.level if self.any_level else max(self.level, spec.min_supported_version or 1)
        address = SpecAddress(str(spec.path), spec.name)
        return Case(CaseId(self.suite, self.name, argument), argument, address, needed, self.is_usual(spec))

    @property
    def has_usual(self) -> bool:
        """Return True if the usual run contains any case of the check."""
        return self.over is None if self.usual is None else bool(self.usual)

    def is_usual(self, value: Any) -> bool:
        """Return True if the usual run contains the check's case for a value or a spec's case."""
        return self.usual(value) if callable(self.usual) else self.has_usual

    def run(self, subject: Subject, case: Case, argument: Any) -> Outcome:
        """Run on a value or a spec's case; UNSUPPORTED below the level that the case needs.

        :raises DriverGone: the driver's process died, or gave no answer in time.
        :raises NotSentError: the check has passed the driver an argument that cannot be sent.
        """

        def run() -> Outcome | None:
            if subject.feature_level < (case.needed_level or 1):
                level = subject.feature_level
                raise unsupported(f"begins at feature level {case.needed_level}, the driver has {level}", "model/level")
            return self.body(subject, argument)

        return outcome_of(run)


def outcome_of(run: Callable[[], Outcome | None]) -> Outcome:
    """Run the function of a test, and return its outcome; raises like :meth:`Check.run`."""
    try:
        return run() or PASSED
    except CaseFailed as failed:
        return failed.outcome
    except NotSentError:
        raise
    except HalError as error:
        # A malformed answer breaks a rule of its own, which need not be a rule of this check.
        rule = error.rule if error.rule in EVERY_CALL else "execution/status"
        return fail(rule, f"a call fails that must not: {error}", driver_rule=error.rule).outcome


def begun_ahead(subject: Subject) -> dict[Hashable, Any]:
    """Return the calls that were sent for coming cases, by keys of their checks; whoever finishes them takes them."""
    calls: dict[Hashable, Any] = subject.shared.setdefault("begun ahead", {})
    return calls


def check(suite: str, name: str, **options: Any) -> Callable[[Body], Body]:
    """Register a function as a check; ``options`` are the fields of :class:`Check`."""

    def register(body: Body) -> Body:
        _CHECKS.append(Check(suite, name, body, **options))
        return body

    return register


@cache
def checks() -> Mapping[str, Check]:
    """Return all checks by id, after importing every module of the suites.

    :raises ValueError: two checks have the same suite and name.
    """
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    found = {known.id: known for known in _CHECKS}
    if len(found) != len(_CHECKS):
        raise ValueError("two checks have the same suite and name")
    return found


def suite_names() -> list[str]:
    """Return every suite that has a check, sorted."""
    return sorted({known.suite for known in checks().values()})
