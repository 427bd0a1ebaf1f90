"""Runs one case on the driver under test and yields its outcome."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from conformance.harness.checking import check_answer, check_deadline_missed, check_values
from conformance.harness.executing import execute
from conformance.harness.outcome import PASSED, CaseFailed, Outcome, fail, unsupported
from conformance.harness.subject import Subject
from conformance.harness.ways import EXECUTOR_LEVELS, OutputType, Way
from conformance.suites import Case, Expectation
from generators.hal_model import build_model, close_pools
from generators.hal_request import PackedRequest, pack_request
from generators.model_conversions import with_unknown_output_dimensions
from generators.test_model import TestModel, TestSubgraph, operation_name
from hal.enums import ErrorStatus, OperationType
from hal.errors import HalError
from hal.interfaces import PreparedModel
from hal.operand_types import OPERAND_TYPES, type_name
from hal.types import Model

_PLACEHOLDER_MARKS = ("inputs_as_internal", "outputs_as_internal")


@dataclass
class Preparation:
    """A test whose model has been prepared, or the reason why it has not."""

    key: tuple[int, str, bool]
    test: TestModel
    labels: dict[str, Any]
    prepared: PreparedModel | None = None
    refusal: Outcome | None = None
    error: HalError | None = None


class CaseRunner:
    """Runs cases one after the other; cases of the same model in a row share its preparation."""

    def __init__(self, subject: Subject) -> None:
        """Run on ``subject``."""
        self._subject = subject
        self._current: Preparation | None = None

    def forget(self) -> None:
        """Drop the prepared model, because the driver was started anew."""
        self._current = None

    def labels(self, case: Case) -> dict[str, Any]:
        """What reports group by; known once the case has begun."""
        current = self._current
        known = current.labels if current is not None and current.key == _key(case) else {}
        return {**known, "suite": case.suite.name, "way": case.way.name, "level": case.spec.path.parent.name}

    def run(self, case: Case) -> Outcome:
        """Run one case.

        :raises DriverGone: the driver's process died, or gave no answer in time.
        :raises SpecError: the test cannot be built.
        """
        try:
            return self._run(case)
        except CaseFailed as failed:
            return failed.outcome

    def _run(self, case: Case) -> Outcome:
        preparation = self._prepare(case)
        if case.suite.expectation is Expectation.FAILURE:
            return self._expect_failure(preparation, case.way)
        if preparation.refusal is not None:
            return preparation.refusal
        self._check_executor(case.way)
        if preparation.prepared is None:
            raise _preparation_failed(preparation)
        self._execute(case, preparation.test, preparation.prepared)
        return PASSED

    def _execute(self, case: Case, test: TestModel, prepared: PreparedModel) -> None:
        with _request(test, short_output=case.way.output is OutputType.INSUFFICIENT) as packed:
            for answer in execute(prepared, packed.request, case.way, self._subject.timeout_s):
                if case.suite.expectation is Expectation.DEADLINE:
                    check_deadline_missed(answer)
                elif check_answer(answer, test, case.way):
                    check_values(packed.output_arrays(test.main.outputs), test)

    def _check_executor(self, way: Way) -> None:
        level = EXECUTOR_LEVELS[way.executor]
        if self._subject.feature_level < level:
            raise unsupported(
                f"{way.executor.value} executions begin at feature level {level}, "
                f"the driver has {self._subject.feature_level}",
                "model/level",
            )

    def _expect_failure(self, preparation: Preparation, way: Way) -> Outcome:
        if preparation.prepared is None:
            return PASSED
        with _request(preparation.test, short_output=False) as packed:
            answer = execute(preparation.prepared, packed.request, way, self._subject.timeout_s)[0]
        if answer.status == ErrorStatus.NONE:
            raise fail("execution/expected_failure", "preparation and execution succeed, one of them must fail")
        return PASSED

    def _prepare(self, case: Case) -> Preparation:
        key = _key(case)
        if self._current is not None and self._current.key == key:
            return self._current
        self._current = None
        built = case.spec.build()
        test = case.suite.form(built) if case.suite.form else built
        preparation = Preparation(key, test, _labels(test))
        self._fill(preparation, case)
        self._current = preparation
        return preparation

    def _fill(self, preparation: Preparation, case: Case) -> None:
        wanted = case.spec.min_supported_version
        if wanted is not None and wanted > self._subject.feature_level:
            preparation.refusal = unsupported(
                f"the test needs feature level {int(wanted)}, the driver has {self._subject.feature_level}",
                "model/level",
            ).outcome
            return
        unknown = case.way.output is not OutputType.FULLY_SPECIFIED
        model = build_model(with_unknown_output_dimensions(preparation.test) if unknown else preparation.test)
        try:
            preparation.prepared = self._try(preparation, model)
        finally:
            close_pools(model)

    def _try(self, preparation: Preparation, model: Model) -> PreparedModel | None:
        try:
            supported = self._subject.device.get_supported_operations(model)
        except HalError as error:
            preparation.error = error
            if not preparation.test.expect_failure:
                preparation.refusal = _rejected(error)
            return None
        try:
            return self._subject.prepare(model)
        except HalError as error:
            if len(supported) == len(model.main.operations) and not all(supported):
                preparation.refusal = unsupported(_unsupported_reason(model, supported)).outcome
            preparation.error = error
            return None


def _key(case: Case) -> tuple[int, str, bool]:
    form = case.suite.name if case.suite.form else ""
    return id(case.spec), form, case.way.output is not OutputType.FULLY_SPECIFIED


@contextmanager
def _request(test: TestModel, *, short_output: bool) -> Iterator[PackedRequest]:
    packed = pack_request(test, short_output=short_output)
    try:
        yield packed
    finally:
        packed.close()


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


def _unsupported_reason(model: Model, supported: tuple[bool, ...]) -> str:
    names = {
        operation_name(operation.type)
        for operation, answer in zip(model.main.operations, supported, strict=True)
        if not answer
    }
    return f"the driver does not support {', '.join(sorted(names))}"


def _labels(test: TestModel) -> dict[str, Any]:
    operations = {operation_name(operation.type) for operation in test.main.operations}
    if any(mark in test.name for mark in _PLACEHOLDER_MARKS) and len(operations) > 1:
        # The ADD that moves an operand inside the graph is not what the case is about.
        operations.discard(OperationType.ADD.name)
    return {"operations": sorted(operations), "operand_types": [_primary_type(test.main)]}


def _primary_type(main: TestSubgraph) -> str:
    first = main.operations[-1].inputs or main.operations[-1].outputs
    types = [main.operands[index].type for index in first]
    tensors = [code for code in types if code in OPERAND_TYPES and OPERAND_TYPES[code].is_tensor]
    return type_name((tensors or types)[0])
