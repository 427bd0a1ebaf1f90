"""The models that the checks of compilation caching save, and what they compute.

Source: docs/contract/vts-tests.md 5.1 and 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.judging import check_answer
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.preparing import built_model, packed_request, prepared_model, supported_operations
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.caching.models import chain, small_mobilenet
from nnvet.generators.graphs.model import Array, TestModel
from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import Model
from nnvet.oracle import compare, tolerance_for

_CONFIG: Final = TestConfig(Executor.SYNC)


@dataclass(frozen=True)
class CachedNetwork:
    """A model to be cached. Its outputs are given by ``test`` or, where ``expected`` is given, equal it bit by bit."""

    test: TestModel
    model: Model
    expected: tuple[bytes, ...] = ()

    def outputs(self, subject: Subject, prepared: PreparedModel) -> list[Array]:
        """Return a prepared model's outputs for the inputs.

        :raises CaseFailed: the execution fails, or says something wrong of its outputs.
        """
        with packed_request(self.test) as packed:
            answer = execute(prepared, packed.request, _CONFIG, subject.timeout_s)[0]
            if answer.status != ErrorStatus.NONE:
                reason = f"the execution of a model that was prepared fails: {answer.message}"
                raise fail("cache/same_results", reason, status=answer.status.name, driver_rule=answer.rule)
            check_answer(answer, self.test, _CONFIG)
            return packed.output_arrays(self.test.main.outputs)

    def difference(self, outputs: Sequence[Array]) -> str:
        """Return the difference of outputs from what they must be; nothing if there is none."""
        if self.expected:
            same = [output.tobytes() for output in outputs] == list(self.expected)
            return "" if same else "outputs differ from those of the model that was prepared without a cache"
        for output, operand in zip(outputs, self.test.main.outputs, strict=True):
            tolerance = tolerance_for(operand.type, relaxed=False)
            mismatch = compare(output, operand.data, tolerance) if tolerance and operand.data is not None else None
            if mismatch is not None:
                return str(mismatch)
        return ""

    def check(self, subject: Subject, prepared: PreparedModel, rule: str = "cache/same_results") -> None:
        """Execute and compare.

        :raises CaseFailed: with ``rule``, if outputs are wrong.
        """
        difference = self.difference(self.outputs(subject, prepared))
        if difference:
            raise fail(rule, f"{self.test.name}: {difference}")


def small_network(subject: Subject, operand_type: OperandType) -> CachedNetwork:
    """A small MobileNet with the outputs that the driver computes without a cache.

    :raises CaseFailed: UNSUPPORTED if the driver does not take all of it.
    """
    return _known(subject, small_mobilenet(operand_type), compared_with_itself=True)


def chain_network(subject: Subject, operation: OperationType, operand_type: OperandType) -> CachedNetwork:
    """A chain of additions or multiplications.

    :raises CaseFailed: UNSUPPORTED if the driver does not take it.
    """
    return _known(subject, chain(operation, operand_type), compared_with_itself=False)


def _known(subject: Subject, test: TestModel, *, compared_with_itself: bool) -> CachedNetwork:
    key = "caching", "network", test.name
    if key not in subject.shared:
        # The model has no pools, so it outlives the block.
        with built_model(test, subject.feature_level) as model:
            network = CachedNetwork(test, model)
        if not all(supported_operations(subject, model)):
            raise unsupported(f"the driver does not take all of {test.name}")
        if compared_with_itself:
            outputs = network.outputs(subject, prepared_model(subject, model))
            if not any(output.any() for output in outputs):
                raise fail("execution/output.value", f"{test.name}: the shares of a softmax are all zero")
            network = CachedNetwork(test, model, tuple(output.tobytes() for output in outputs))
        subject.shared[key] = network
    known: CachedNetwork = subject.shared[key]
    return known
