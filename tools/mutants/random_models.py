"""Mutants of kernels against random models of one type, of the operations that come to the mutant.

A campaign and the named tests have models of all operations. Only those that may find a mutant are executed, each as
its suite does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from typing import Any, Final

from nnvet.conformance.engine.driver import DriverUnderTest
from nnvet.conformance.kit.checks import Check, checks
from nnvet.conformance.kit.executing import basic_config, run_test
from nnvet.conformance.kit.handmade import prepare_test
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.generators.random_graphs.named import SEEDS, single_tests
from nnvet.generators.random_graphs.options import GraphOptions, text_of
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device
from nnvet.reports.events import Verdict
from nnvet.transport.wire.failures import DriverGone
from tools.mutants.mutant import Mutant
from tools.mutants.reach import Reach
from tools.mutants.sessions import UnchangedError, is_right, session, session_of

_CAMPAIGN: Final = "RandomModels/Bounds"
_MANNERS: Final[Sequence[dict[str, Any]]] = (
    {"operations": (1, 1)},
    {"operations": (1, 1), "boundaries": 1.0},
    {"operations": (1, 3), "dimensions": (1, 50), "elements": 5000},
)
"""Options of the models of campaigns, in turn."""
_MODELS: Final = 90
"""Models of campaigns that a mutant is tried with in one type."""
_NAMED: Final = 30
_SPECS: Final = 300
"""Models of named tests, and spec cases that show what a mutant changes: at most."""

_Question = tuple[str, str]
"""Id of a check and an argument."""


def against_random(reach: Reach, kind: OperandType, mutant: Mutant) -> Iterator[tuple[str, bool]]:
    """Random models with operations of one primary type; judged are those that the mutant answers otherwise.

    :raises UnchangedError: they do not find the mutant, and neither in them nor in cases of specs that any driver may
        answer is any bit of an answer another one than the original's. A driver that does without an operation has
        no answer.
    """
    specs = reach.forms(mutant)[kind]
    create: Callable[[str], Device] = importlib.import_module("nnvet.reference_driver.device").create
    asked = [*_campaign(sorted(specs), kind), *islice(_named(specs, kind), _NAMED), *_accuracy(specs, kind)]
    with session(mutant) as opened, session_of(partial(create, "")) as original:

        def changes(test: TestModel) -> bool:
            return _answer(opened, test) not in (Verdict.UNSUPPORTED, _answer(original, test))

        is_other = False
        for name, argument in asked:
            check = checks()[name]
            if not changes(_test(check, argument)):
                yield f"{name}/{argument}", True
                continue
            is_other = True
            yield f"{name}/{argument}", is_right(opened, check, check.case_of(argument), check.value_of(argument))
        valid = ((case for case in cases if not case.expect_failure) for cases in specs.values())
        some = (case.build() for cases in valid for case in islice(cases, _SPECS // len(specs) + 1))
        if not (is_other or any(map(changes, some))):
            raise UnchangedError


def _campaign(operations: Sequence[OperationType], kind: OperandType) -> Iterator[_Question]:
    """Yield models of campaigns, in turn of one operation and another."""
    for seed in range(_MODELS):
        operation = operations[seed % len(operations)]
        manner = _MANNERS[seed // len(operations) % len(_MANNERS)]
        yield _CAMPAIGN, f"{text_of(GraphOptions(types=(kind,), only=(operation,), **manner))}/{seed}"


def _named(operations: Collection[OperationType], kind: OperandType) -> Iterator[_Question]:
    """Seeds of the tests of single operations, turn by turn from each test."""
    for seed in SEEDS:
        for operation in operations:
            yield from ((check, str(seed)) for check, kinds in _singles()[operation] if kinds[seed] == kind)


@cache
def _singles() -> dict[OperationType, list[tuple[str, list[OperandType]]]]:
    """Return the tests of each operation, with the type of each seed."""
    found: dict[OperationType, list[tuple[str, list[OperandType]]]] = {operation: [] for operation in OperationType}
    for suite, in_cts in (("TestRandomGraph", True), ("RandomModels", False)):
        for test in single_tests(in_cts=in_cts):
            picked = [test.pick(seed) for seed in SEEDS]
            kinds = [pair[1] for pair in picked]
            found[picked[0][0].operation].append((f"{suite}/SingleOperationTest.{test.operation}", kinds))
    return found


def _accuracy(operations: Collection[OperationType], kind: OperandType) -> Iterator[_Question]:
    """The cases of Accuracy of the operations whose names have the type."""
    names = {operation.name for operation in operations}
    for check in checks().values():
        if check.suite == "Accuracy":
            for argument in check.values:
                operation, first, *_ = argument.split(".")
                if operation in names and first.upper() in (kind.name, kind.name.removeprefix("TENSOR_")):
                    yield check.id, argument


def _test(check: Check, argument: str) -> TestModel:
    assert check.model_test is not None  # noqa: S101 - those of Accuracy have one
    return check.model_test.test_of(check.value_of(argument))


def _answer(opened: DriverUnderTest, test: TestModel) -> object:
    """Status and bits of an execution, UNSUPPORTED, or how it comes to none."""
    opened.begin_case()
    try:
        prepared = prepare_test(opened, test)
        last = run_test(prepared, test, basic_config(opened), opened.device, opened.timeout_s)[-1]
    except CaseFailed as failed:
        verdict = failed.outcome.verdict
        return verdict if verdict is Verdict.UNSUPPORTED else str(failed)
    except (HalError, DriverGone) as error:
        return str(error)
    return last.status, [output.tobytes() for output in last.outputs]
