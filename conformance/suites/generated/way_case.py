"""A spec case executed in one way: the cases of the generated suites."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nnvet.conformance.engine.arguments import arguments_for
from nnvet.conformance.engine.checking import Array, check_answer, check_deadline_missed, check_values
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.outcome import PASSED, CaseFailed, Outcome, fail, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.engine.ways import OutputType, Way
from nnvet.conformance.suites.generated.coupling import check_prepared_alike, check_twins
from nnvet.conformance.suites.generated.table import Expectation, Suite
from nnvet.generators.hal_model import build_model, close_pools
from nnvet.generators.hal_request import PackedRequest, pack_request
from nnvet.generators.model_conversions import with_unknown_output_dimensions
from nnvet.generators.specs import Case as SpecCase
from nnvet.generators.test_model import TestModel, TestSubgraph, operation_name
from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.types import Model

_SHARED = "preparation"
"""Key under which neighbouring cases find the last preparation."""
_PLACEHOLDER_MARKS = ("inputs_as_internal", "outputs_as_internal")


@dataclass
class Preparation:
    """A test whose model has been prepared, or the reason why it has not; with that of its twin, if it has one.

    ``supported``: the driver says that it takes all operations.
    """

    key: tuple[int, str, bool]
    test: TestModel
    labels: dict[str, Any]
    twin: Preparation | None = None
    supported: bool = False
    prepared: PreparedModel | None = None
    refusal: Outcome | None = None
    error: HalError | None = None


@dataclass(frozen=True)
class WayCase:
    """A spec case in one suite and way; see :class:`nnvet.conformance.engine.case.Case`."""

    id: str
    suite: Suite
    way: Way
    spec: SpecCase

    @property
    def needed_level(self) -> int | None:
        """What the spec needs; executors that come later are UNSUPPORTED, not left out."""
        return self.spec.min_supported_version

    @property
    def usual(self) -> bool:
        """Whether the suite counts the way among the usual ones."""
        return self.suite.usual(self.way)

    @property
    def unit(self) -> Hashable:
        """Cases of one spec case stay together."""
        return id(self.spec)

    def labels(self, subject: Subject) -> dict[str, Any]:
        """Operations and types, once the model has been built."""
        current = subject.shared.get(_SHARED)
        known = current.labels if isinstance(current, Preparation) and current.key == self._key else {}
        return {**known, "suite": self.suite.name, "way": self.way.name, "level": self.spec.path.parent.name}

    def run(self, subject: Subject) -> Outcome:
        """Prepare (or take the neighbour's preparation), execute and judge.

        :raises DriverGone: the driver's process died, or gave no answer in time.
        :raises SpecError: the test cannot be built.
        """
        try:
            return self._run(subject)
        except CaseFailed as failed:
            return failed.outcome

    def _run(self, subject: Subject) -> Outcome:
        if self.suite.twin is not None:
            self._check_level(subject)
        preparation = self._prepare(subject)
        if self.suite.expectation is Expectation.FAILURE:
            return self._expect_failure(preparation, subject)
        twin = preparation.twin
        if twin is not None:
            check_prepared_alike({"unsigned": _in_words(preparation), "signed": _in_words(twin)})
        results = self._results(preparation, subject)
        if twin is not None:
            check_twins(preparation.test, results, self._results(twin, subject))
        return PASSED

    @property
    def _key(self) -> tuple[int, str, bool]:
        twins = self.suite.name if self.suite.twin else ""
        return id(self.spec), twins, self.way.output is not OutputType.FULLY_SPECIFIED

    def _results(self, preparation: Preparation, subject: Subject) -> list[Array]:
        """The outputs of a prepared test after they were compared; nothing where there must be none."""
        if preparation.refusal is not None:
            raise CaseFailed(preparation.refusal)
        self._check_level(subject)
        if preparation.prepared is None:
            raise _preparation_failed(preparation)
        test, prepared = preparation.test, preparation.prepared
        results: list[Array] = []
        with arguments_for(test, self.way, subject.device, prepared) as arguments:
            for answer in execute(prepared, arguments.request, self.way, subject.timeout_s):
                if self.suite.expectation is Expectation.DEADLINE:
                    check_deadline_missed(answer)
                elif check_answer(answer, test, self.way):
                    results = [array.copy() for array in arguments.output_arrays(test.main.outputs)]
                    check_values(results, test)
        return results

    def _check_level(self, subject: Subject) -> None:
        level, part = max(self.way.level, (self.suite.level, self.suite.name))
        if subject.feature_level < level:
            reason = f"feature level {level} brings {part}, the driver has {subject.feature_level}"
            raise unsupported(reason, "model/level")

    def _expect_failure(self, preparation: Preparation, subject: Subject) -> Outcome:
        if preparation.prepared is None:
            return PASSED
        with packed_request(preparation.test) as packed:
            answer = execute(preparation.prepared, packed.request, self.way, subject.timeout_s)[0]
        if answer.status == ErrorStatus.NONE:
            raise fail("execution/expected_failure", "preparation and execution succeed, one of them must fail")
        return PASSED

    def _prepare(self, subject: Subject) -> Preparation:
        kept = subject.shared.get(_SHARED)
        if isinstance(kept, Preparation) and kept.key == self._key:
            return kept
        subject.shared.pop(_SHARED, None)
        test = self.spec.build()
        preparation = self._preparation(test, subject)
        if self.suite.twin is not None:
            preparation.twin = self._preparation(self.suite.twin(test), subject)
        subject.shared[_SHARED] = preparation
        return preparation

    def _preparation(self, test: TestModel, subject: Subject) -> Preparation:
        preparation = Preparation(self._key, test, labels_of(test))
        wanted = self.spec.min_supported_version
        if wanted is not None and wanted > subject.feature_level:
            reason = f"the test needs feature level {int(wanted)}, the driver has {subject.feature_level}"
            preparation.refusal = unsupported(reason, "model/level").outcome
        else:
            unknown = self.way.output is not OutputType.FULLY_SPECIFIED
            _prepare(preparation, with_unknown_output_dimensions(test) if unknown else test, subject)
        return preparation


def _prepare(preparation: Preparation, test: TestModel, subject: Subject) -> None:
    model = build_model(test)
    try:
        preparation.prepared = _try(preparation, model, subject)
    finally:
        close_pools(model)


def _try(preparation: Preparation, model: Model, subject: Subject) -> PreparedModel | None:
    try:
        supported = subject.device.get_supported_operations(model)
    except HalError as error:
        preparation.error = error
        if not preparation.test.expect_failure:
            preparation.refusal = _rejected(error)
        return None
    preparation.supported = all(supported)
    try:
        return subject.prepare(model)
    except HalError as error:
        if len(supported) == len(model.main.operations) and not all(supported):
            preparation.refusal = unsupported(_unsupported_reason(preparation.test, supported)).outcome
        preparation.error = error
        return None


@contextmanager
def packed_request(test: TestModel, *, short_output: bool = False) -> Iterator[PackedRequest]:
    """The test's request while the block runs."""
    packed = pack_request(test, short_output=short_output)
    try:
        yield packed
    finally:
        packed.close()


def _in_words(preparation: Preparation) -> str:
    if preparation.prepared is None:
        return "supported, not prepared" if preparation.supported else "not supported"
    return "supported, prepared" if preparation.supported else "not supported, but prepared"


def _rejected(error: HalError) -> Outcome:
    return fail(
        "prepare/valid",
        f"getSupportedOperations fails for a valid model: {error}",
        status=error.status.name,
        driver_rule=error.rule,
    ).outcome


def _preparation_failed(preparation: Preparation) -> CaseFailed:
    error = preparation.error
    return fail(
        "prepare/supported",
        f"all operations are supported, but the model cannot be prepared: {error}",
        status=error.status.name if error else "",
        driver_rule=error.rule if error else "",
    )


def _unsupported_reason(test: TestModel, supported: tuple[bool, ...]) -> str:
    names = {
        operation_name(operation.type)
        for operation, answer in zip(test.main.operations, supported, strict=True)
        if not answer
    }
    return f"the driver does not support {', '.join(sorted(names))}"


def labels_of(test: TestModel) -> dict[str, Any]:
    """Operations of the main subgraph and the type of their first tensor, for reports."""
    operations = {operation_name(operation.type) for operation in test.main.operations}
    if any(mark in test.name for mark in _PLACEHOLDER_MARKS) and len(operations) > 1:
        # The ADD that moves an operand inside the graph is not what the case is about.
        operations.discard(OperationType.ADD.name)
    return {"operations": sorted(operations), "operand_types": [_primary_type(test.main)]}


def _primary_type(main: TestSubgraph) -> str:
    first = main.operations[-1].inputs or main.operations[-1].outputs
    types = [main.operands[index].type for index in first]
    tensors = [code for code in types if type_info(code).is_tensor]
    return type_name((tensors or types)[0])
