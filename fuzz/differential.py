"""The harness ``differential``: bytes decide on a valid model, and the oracle judges the driver's results.

:mod:`nnvet.generators.random_graphs` makes the model from the decisions. The harness ``model``
(:mod:`nnvet.fuzz.model`) makes invalid models as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.calls import prepare
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.engine.target import Target
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import Harness, OneInput, Seed
from nnvet.fuzz.target import FuzzedDriver, open_fuzzed
from nnvet.generators.random_graphs.chooser import BytesChooser, SeededChooser
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import build_model, close_pools, pack_request
from nnvet.graphs.model import TestModel, describe_model, element_type, operation_name
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.types import ExecutionConfig, Model, Request
from nnvet.hal.validation import required_level, validate_request
from nnvet.oracle.bounds.compare import compare_contract, compare_estimate
from nnvet.oracle.comparison import Mismatch
from nnvet.oracle.random_graphs import Drift

_OPTIONS: Final = GraphOptions(operations=(1, 2), dimensions=(1, 3), elements=300, ranks=(1, 2, 3, 4))
"""Small models: they are fast, and a finding in one is easy to read."""
_CONFIG: Final = ExecutionConfig(loop_timeout_duration_ns=200_000_000)
"""Loops end after 0.2 s, so that an endless one does not count as a hang."""
_SEEDS: Final = 300
"""Number of random inputs to begin with."""
_SEED_BYTES: Final = 96
"""Size of each of them."""
_REFUSALS: Final = (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE)
"""Statuses that blame the model or request, which is wrong here because both are valid."""


class DifferentialInput:
    """Runs the inputs of the harness on a driver."""

    def __init__(self, driver: FuzzedDriver) -> None:
        """Send all calls to ``driver``."""
        self._driver = driver

    @np.errstate(all="ignore")
    def __call__(self, data: bytes) -> None:
        """Make a model, execute it on the driver, and judge the results.

        :raises FuzzFinding: see :class:`nnvet.fuzz.findings.FindingKind`.
        """
        test = graph_of(data)
        model = build_model(test)
        try:
            if _required_level(test, model) <= self._driver.feature_level:
                self._judge(test, model)
        finally:
            close_pools(model)

    def _judge(self, test: TestModel, model: Model) -> None:
        driver = self._driver
        answers = driver.ask(lambda: driver.device.get_supported_operations(model))
        if isinstance(answers, HalError):
            _check_refusal(answers, test, "prepare/valid")
            return
        if not all(answers):
            return
        prepared = driver.ask(lambda: prepare(driver.device, model, timeout_s=driver.timeout_s))
        if isinstance(prepared, HalError):
            _check_refusal(prepared, test, "prepare/supported")
            return
        packed = pack_request(test)
        try:
            _check_request(test, model, packed.request)
            result = driver.ask(lambda: prepared.execute_synchronously(packed.request, _CONFIG, NO_DEADLINE))
            if isinstance(result, HalError):
                _check_refusal(result, test, "execution/status")
                return
            results = packed.output_arrays(test.main.outputs)
        finally:
            packed.close()
        for position, (operand, got, bounds) in enumerate(
            zip(test.main.outputs, results, estimates(test, model), strict=True)
        ):
            if operand.is_ignored or compare_estimate(got, bounds) is None:
                continue
            # The tighter bounds grade quality. Only results outside the contract's own bounds are faults.
            wrong = compare_contract(got, bounds, estimates(test, model, contract=True)[position])
            if wrong is not None:
                _raise_wrong(test, position, wrong)


def graph_of(data: bytes) -> TestModel:
    """Return the model that bytes decide on, with outputs of the right size."""
    test = random_model(BytesChooser(data), _OPTIONS, "fuzzed")
    empty = {
        index: replace(output, data=np.zeros(output.dimensions, element_type(output.type)).reshape(-1))
        for index, output in zip(test.main.output_indexes, test.main.outputs, strict=True)
    }
    return replace(test, main=with_operands(test.main, empty))


def _required_level(test: TestModel, model: Model) -> int:
    """Return the feature level that a model needs; an invalid model is a fault of the suite, not of the driver."""
    try:
        return required_level(model)
    except HalError as error:
        raise _make_finding("model", test, error) from error


def _check_request(test: TestModel, model: Model, request: Request) -> None:
    try:
        validate_request(request, model)
    except HalError as error:
        raise _make_finding("request", test, error) from error


def _make_finding(what: str, test: TestModel, error: HalError) -> FuzzFinding:
    message = f"the suite has made an invalid {what}: {error}"
    return FuzzFinding(FindingKind.EXCEPTION, "", message, {"graph": describe_model(test)}, error.rule)


def _check_refusal(refusal: HalError, test: TestModel, rule: str) -> None:
    # The adapter could not express the call, so the driver has not seen it.
    if refusal.status in _REFUSALS and refusal.rule != INEXPRESSIBLE:
        raise FuzzFinding(
            FindingKind.REFUSED,
            rule,
            f"a valid model is refused: {refusal}",
            {"graph": describe_model(test)},
            refusal.rule,
        )


def _raise_wrong(test: TestModel, position: int, wrong: Mismatch | Drift) -> None:
    index = test.main.output_indexes[position]
    maker = next(
        (operation_name(operation.type) for operation in test.main.operations if index in operation.outputs), ""
    )
    kind = test.main.operands[index].type
    message = f"output {position}, made by {maker}: {wrong}"
    raise FuzzFinding(
        FindingKind.WRONG, "execution/output.value", message, {"graph": describe_model(test)}, f"{maker} {kind}"
    )


@contextmanager
def open_differential(target: Target) -> Iterator[OneInput]:
    """Open the harness on a driver; raises like :func:`nnvet.fuzz.target.open_fuzzed`."""
    with open_fuzzed(target) as driver:
        run = DifferentialInput(driver)
        run(b"")
        yield run


def _seeds() -> Iterator[Seed]:
    for number in range(_SEEDS):
        yield Seed(f"random-{number}", SeededChooser(f"fuzz/differential/{number}").raw(_SEED_BYTES))


DIFFERENTIAL: Final = Harness(
    name="differential",
    summary="valid random models, whose results the oracle judges by error bounds",
    opens=open_differential,
    seeds=_seeds,
    instrumented=("nnvet.hal.validation", "nnvet.hal.operations"),
    test_of=graph_of,
    max_len=1024,
    share=5,
)
