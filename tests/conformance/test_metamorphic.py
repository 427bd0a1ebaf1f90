"""Metamorphic: fair to drivers of every kind, and nothing passes for free."""

from collections import Counter
from collections.abc import Iterator

import pytest

from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.generators.metamorphic.table import RELATIONS
from nnvet.hal.memory import mapped
from nnvet.hal.types import (
    BufferToken,
    ExecutionConfig,
    ExecutionResult,
    Model,
    Operation,
    OperationType,
    Request,
)
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reports.events import Verdict

SUITE = "Metamorphic"
MINIMAL = "python:docs/examples/minimal_driver.py:AddDevice"
USUAL = f"{SUITE}/*/0"


def own_cases() -> Iterator[Case]:
    """The cases of the suite."""
    return (case for check in checks().values() if check.suite == SUITE for case in check.cases())


def outcomes(selector: str, glob: str = USUAL, level: int | None = None) -> dict[str, Finished]:
    """Return the ends of cases, run in process."""
    chosen = list(Selection((glob,), full=True).apply(own_cases()))
    assert chosen
    target = Target(selector, in_process=True, timeout_s=20, level=level)
    return {event.case: event for event in run_cases(chosen, target) if isinstance(event, Finished)}


def test_names() -> None:
    """A check for each relation, twenty seeds, of which a usual run takes the first."""
    names = Counter(case.name.check for case in own_cases())
    assert names == dict.fromkeys(RELATIONS, 20)
    assert {case.name.argument for case in Selection().apply(own_cases())} == {"0"}


def test_the_bundled_driver_passes() -> None:
    """A seed of each relation."""
    found = outcomes("reference")
    wrong = {
        case: finished.outcome.reason
        for case, finished in found.items()
        if finished.outcome.verdict is not Verdict.PASS
    }
    assert (len(found), wrong) == (len(RELATIONS), {})


@pytest.mark.parametrize("level", [1, 3])
def test_older_drivers_are_not_judged_by_newer_models(level: int) -> None:
    """Models newer than the driver, the original or its other form, are UNSUPPORTED."""
    verdicts = Counter(outcome.outcome.verdict for outcome in outcomes("reference", level=level).values())
    assert verdicts.keys() == {Verdict.PASS, Verdict.UNSUPPORTED}


def test_drivers_of_few_operations_and_types() -> None:
    """The driver of the documentation has ADD alone, another one all operations on 8-bit codes."""
    assert {outcome.outcome.verdict for outcome in outcomes(MINIMAL).values()} <= {Verdict.PASS, Verdict.UNSUPPORTED}
    found = outcomes("reference:quant", f"{SUITE}/PermutedBatch/*")
    assert {finished.outcome.verdict for finished in found.values()} == {Verdict.PASS, Verdict.UNSUPPORTED}


def no_transpose() -> FullDevice:
    """A driver that has all operations but one."""

    class Lacking(FullDevice):
        def supports(self, model: Model, operation: Operation) -> bool:
            """All but TRANSPOSE."""
            return operation.type != OperationType.TRANSPOSE and super().supports(model, operation)

    return Lacking()


def test_a_form_that_the_driver_lacks_is_unsupported() -> None:
    """The reason says that it is the other form, and what is lacking."""
    found = outcomes(f"python:{__file__}:no_transpose", f"{SUITE}/InsertedTranspose/*")
    reasons = [
        finished.outcome.reason for finished in found.values() if finished.outcome.verdict is Verdict.UNSUPPORTED
    ]
    assert len(reasons) == len(found)
    assert any("other form" in reason and "does not support TRANSPOSE with" in reason for reason in reasons)


def zeros() -> FullDevice:
    """A driver whose outputs are all zeros."""

    class Zeros(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Write over the results."""
            result = super().run(request, config, deadline_ns)
            for argument in request.outputs:
                place = argument.location
                memory = request.pools[place.pool_index]
                assert not isinstance(memory, BufferToken)
                with mapped(memory, writable=True) as view:
                    view[place.offset : place.offset + place.length] = bytes(place.length)
            return result

    return with_prepared_model(Zeros)


def test_nothing_passes_for_free() -> None:
    """Outputs that are the same in all forms, since nothing is ever computed, are wrong."""
    found = outcomes(f"python:{__file__}:zeros")
    assert {finished.outcome.verdict for finished in found.values()} == {Verdict.FAIL}
    assert {finished.outcome.rule for finished in found.values()} == {"execution/output.value"}
