"""Judge of mutants of kernels, by random models of one operand type.

:func:`against_random` is the judge for ``__main__.py``. Campaigns and the named tests have models of all operations;
only models with operations that execute the mutant are executed, each as its suite does. ``judges.py`` has the judges
by specs.
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
from tools.mutants.sessions import UnchangedError, is_right, open_session, open_session_of

_CAMPAIGN: Final = "RandomModels/Bounds"
"""The check of models of campaigns."""
_MANNERS: Final[Sequence[dict[str, Any]]] = (
    {"operations": (1, 1)},
    {"operations": (1, 1), "boundaries": 1.0},
    {"operations": (1, 3), "dimensions": (1, 50), "elements": 5000},
)
"""Options of random models, which take turns: single operations, boundary values, larger models."""
_MODELS: Final = 90
"""Number of models of campaigns with which a mutant is tried in one type."""
_NAMED: Final = 30
"""Most models of named tests with which a mutant is tried in one type."""
_SPECS: Final = 300
"""Most spec cases that are executed only to show whether a mutant changes any answer."""

_Question = tuple[str, str]
"""Id of a check and an argument."""


def against_random(reach: Reach, kind: OperandType, mutant: Mutant) -> Iterator[tuple[str, bool]]:
    """Yield random models of one primary type, each with True if the mutant is right; only changed answers are judged.

    :raises UnchangedError: in all random models and in all tried cases of specs, all bits of the answers are those of
        the original. A refusal is no answer.
    """
    specs = reach.forms(mutant)[kind]
    create: Callable[[str], Device] = importlib.import_module("nnvet.reference_driver.device").create
    asked = [
        *_list_campaign(sorted(specs), kind),
        *islice(_list_named(specs, kind), _NAMED),
        *_list_accuracy(specs, kind),
    ]
    with open_session(mutant) as opened, open_session_of(partial(create, "")) as original:

        def changes(test: TestModel) -> bool:
            return _ask(opened, test) not in (Verdict.UNSUPPORTED, _ask(original, test))

        is_other = False
        for name, argument in asked:
            check = checks()[name]
            if not changes(_make_test(check, argument)):
                yield f"{name}/{argument}", True
                continue
            is_other = True
            yield f"{name}/{argument}", is_right(opened, check, check.case_of(argument), check.value_of(argument))
        valid = ((case for case in cases if not case.expect_failure) for cases in specs.values())
        some = (case.build() for cases in valid for case in islice(cases, _SPECS // len(specs) + 1))
        if not (is_other or any(map(changes, some))):
            raise UnchangedError


def _list_campaign(operations: Sequence[OperationType], kind: OperandType) -> Iterator[_Question]:
    """Yield models of campaigns; the operations take turns."""
    for seed in range(_MODELS):
        operation = operations[seed % len(operations)]
        manner = _MANNERS[seed // len(operations) % len(_MANNERS)]
        yield _CAMPAIGN, f"{text_of(GraphOptions(types=(kind,), only=(operation,), **manner))}/{seed}"


def _list_named(operations: Collection[OperationType], kind: OperandType) -> Iterator[_Question]:
    """Yield seeds of the named tests of single operations; the tests take turns."""
    for seed in SEEDS:
        for operation in operations:
            yield from ((check, str(seed)) for check, kinds in _list_singles()[operation] if kinds[seed] == kind)


@cache
def _list_singles() -> dict[OperationType, list[tuple[str, list[OperandType]]]]:
    """Return the tests of each operation, with the type of each seed."""
    found: dict[OperationType, list[tuple[str, list[OperandType]]]] = {operation: [] for operation in OperationType}
    for suite, in_cts in (("TestRandomGraph", True), ("RandomModels", False)):
        for test in single_tests(in_cts=in_cts):
            picked = [test.pick(seed) for seed in SEEDS]
            kinds = [pair[1] for pair in picked]
            found[picked[0][0].operation].append((f"{suite}/SingleOperationTest.{test.operation}", kinds))
    return found


def _list_accuracy(operations: Collection[OperationType], kind: OperandType) -> Iterator[_Question]:
    """Yield the cases of the suite Accuracy for these operations and this type."""
    names = {operation.name for operation in operations}
    for check in checks().values():
        if check.suite == "Accuracy":
            for argument in check.values:
                operation, first, *_ = argument.split(".")
                if operation in names and first.upper() in (kind.name, kind.name.removeprefix("TENSOR_")):
                    yield check.id, argument


def _make_test(check: Check, argument: str) -> TestModel:
    assert check.model_test is not None  # noqa: S101 - those of Accuracy have one
    return check.model_test.test_of(check.value_of(argument))


def _ask(opened: DriverUnderTest, test: TestModel) -> object:
    """Return status and bits of an execution, UNSUPPORTED, or the error that prevents it."""
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
