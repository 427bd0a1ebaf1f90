"""The harness ``model``: any model, valid or not; the driver is asked what it supports, prepares and executes it.

:mod:`nnvet.hal.validation` decides whether a model is valid. A driver must not refuse a valid model if it supports all
its operations, and if the values of constants and inputs keep the rules, too (:mod:`nnvet.fuzz.model.runnable`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from nnvet.adapters.calls import find_miscount, prepare
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.engine.target import Target
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import Harness, OneInput, Seed
from nnvet.fuzz.model.form import FuzzedModel, RequestMemory, decode_model, encode_model, hal_model, model_of_test
from nnvet.fuzz.model.mutating import COMPUTED, cross_models, mutate_model, smaller
from nnvet.fuzz.model.runnable import is_runnable
from nnvet.fuzz.target import FuzzedDriver, open_fuzzed
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.specs import find_specs, load_spec
from nnvet.graphs.builder import sum_of_two
from nnvet.graphs.hal_model import read_model
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model
from nnvet.hal.validation import validate_model

T = TypeVar("T")
_LOOP_TIMEOUT_NS: Final = 20_000_000
"""Time after which loops end, so that an endless one does not count as a hang."""
_CONFIG: Final = ExecutionConfig(loop_timeout_duration_ns=_LOOP_TIMEOUT_NS)
_MAX_LEN: Final = 1 << 16
"""Largest size of an input in bytes."""
_LARGEST_SEED: Final = 4096
"""Largest size in bytes of a model of the corpus that becomes a seed."""
_RANDOM_SEEDS: Final = 200
"""Number of random graphs among the seeds."""
_REFUSALS: Final = (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE)
"""Statuses that blame the model or request; with any other error the driver says that it lacks something."""


class ModelInput:
    """Runs the inputs of the harness on a driver."""

    def __init__(self, driver: FuzzedDriver) -> None:
        """Send all calls to ``driver``."""
        self._driver = driver
        self._memory = RequestMemory()

    def __call__(self, data: bytes) -> None:
        """Do everything with a model: ask for support, prepare and execute it, as far as the driver accepts it.

        :raises FuzzFinding: see :class:`nnvet.fuzz.findings.FindingKind`.
        """
        model = decode_model(data)
        if model is not None:
            with hal_model(model) as built:
                COMPUTED.tried(data, is_computed=self._judge(built, model.seed))

    def _judge(self, model: Model, seed: int) -> bool:
        """Judge the driver's treatment of the model; return True if it computes it."""
        broken = broken_rule(model, self._driver)
        answers = self._ask(lambda: self._driver.device.get_supported_operations(model))
        self._expect_refusal(answers, broken, "supported")
        if isinstance(answers, HalError):
            self._check_refusal(answers, broken, model, seed)
        else:
            _check_answers(answers, model)
        prepared = self._ask(lambda: prepare(self._driver.device, model, timeout_s=self._driver.timeout_s))
        self._expect_refusal(prepared, broken, "prepared")
        if not isinstance(prepared, HalError):
            return self._execute(prepared, model, seed)
        if not isinstance(answers, HalError) and all(answers):
            self._check_refusal(prepared, broken, model, seed)
        return False

    def _execute(self, prepared: PreparedModel, model: Model, seed: int) -> bool:
        request = self._memory.request(model, seed)
        if request is None:
            return False
        result = self._ask(lambda: prepared.execute_synchronously(request, _CONFIG, NO_DEADLINE))
        if not isinstance(result, HalError):
            check_shapes(result, model)
        else:
            self._check_refusal(result, None, model, seed)
        return not isinstance(result, HalError)

    def _ask(self, call: Callable[[], T]) -> T | HalError:
        answer = self._driver.ask(call)
        return _bare(answer) if isinstance(answer, HalError) else answer

    def _expect_refusal(self, answer: object, broken: HalError | None, what: str) -> None:
        if broken is not None and not isinstance(answer, HalError):
            message = f"an invalid model is {what}: {broken.message}"
            raise FuzzFinding(FindingKind.ACCEPTED, broken.rule, message, place=what)

    def _check_refusal(self, refusal: HalError, broken: HalError | None, model: Model, seed: int) -> None:
        # The adapter could not express the call, so the driver has not seen it.
        is_drivers = refusal.status in _REFUSALS and refusal.rule != INEXPRESSIBLE
        if broken is not None or not is_drivers or not self._runs(model, seed):
            return
        message = f"a valid model, whose values keep all rules, is refused: {refusal}"
        raise FuzzFinding(FindingKind.REFUSED, "prepare/valid", message, place=refusal.rule)

    def _runs(self, model: Model, seed: int) -> bool:
        """Return True if a model can be executed with the inputs of a seed."""
        request = self._memory.request(model, seed)
        return request is not None and is_runnable(model, request)


def broken_rule(model: Model, driver: FuzzedDriver) -> HalError | None:
    """Return the error of an invalid model; None: it is valid for a driver of this level."""
    try:
        validate_model(model, driver.feature_level)
    except HalError as error:
        return _bare(error)
    return None


def _bare(error: HalError) -> HalError:
    """Return the error without tracebacks.

    The frames of a traceback refer to the variable that keeps the error. Collecting such a cycle takes longer than most
    other work on an invalid model.
    """
    cause: BaseException | None = error
    while cause is not None:
        cause.__traceback__ = None
        cause = cause.__cause__ or cause.__context__
    return error


def _check_answers(answers: tuple[bool, ...], model: Model) -> None:
    if message := find_miscount(answers, model):
        raise FuzzFinding(FindingKind.WRONG, "prepare/supported.count", message)


def check_shapes(result: ExecutionResult, model: Model) -> None:
    """Check that an execution answers with a shape for each output, and that none contradicts the model.

    :raises FuzzFinding: a shape is missing or wrong.
    """
    shapes, outputs = result.output_shapes, model.main.output_indexes
    if len(shapes) != len(outputs) and (shapes or not result.output_sufficient_size):
        message = f"{len(shapes)} shapes of {len(outputs)} outputs"
        raise FuzzFinding(FindingKind.WRONG, "execution/output.shapes", message)
    for shape, index in zip(shapes, outputs, strict=False):
        declared = model.main.operands[index].dimensions
        agrees = len(declared) == len(shape.dimensions) and all(
            size in (0, known) for size, known in zip(declared, shape.dimensions, strict=True)
        )
        if declared and shape.dimensions and not agrees:
            message = f"an output of dimensions {declared} has shape {shape.dimensions}"
            raise FuzzFinding(FindingKind.WRONG, "execution/output.dimensions", message)


def _warm_up() -> FuzzedModel:
    return model_of_test(sum_of_two("sum", [[1.0, 2.0]], [[3.0, 4.0]], [[4.0, 6.0]]))


@contextmanager
def open_models(target: Target) -> Iterator[OneInput]:
    """Open the harness on a driver; raises like :func:`nnvet.fuzz.target.open_fuzzed`."""
    with open_fuzzed(target) as driver:
        run = ModelInput(driver)
        # Modules that are loaded lazily should not count as time of the first input.
        run(encode_model(_warm_up()))
        yield run


def model_seeds() -> Iterator[tuple[str, FuzzedModel]]:
    """Return models of the spec corpus, the first small one of each file, and models of random graphs."""
    for path in find_specs(BUNDLED_SPECS):
        for case in load_spec(path):
            model = model_of_test(case.build())
            if len(encode_model(model)) <= _LARGEST_SEED:
                yield path.name.partition(".")[0], model
                break
    options = GraphOptions(operations=(1, 3), dimensions=(1, 4))
    for number in range(_RANDOM_SEEDS):
        yield f"random-{number}", model_of_test(random_model(SeededChooser(f"fuzz/model/{number}"), options), number)


def test_of(data: bytes) -> TestModel | None:
    """Return the valid model of an input, with the inputs of its request; None: it is invalid or too large."""
    model = decode_model(data)
    if model is None:
        return None
    memory = RequestMemory()
    with hal_model(model) as built:
        try:
            validate_model(built)
        except HalError:
            return None
        request = memory.request(built, model.seed)
        return None if request is None else read_model(built, "fuzzed", request)


def _seeds() -> Iterator[Seed]:
    return (Seed(name, encode_model(model)) for name, model in model_seeds())


MODEL: Final = Harness(
    name="model",
    summary="any model, valid or not: what of it is supported, its preparation and execution",
    opens=open_models,
    seeds=_seeds,
    instrumented=("nnvet.hal.validation", "nnvet.hal.operations"),
    mutator=mutate_model,
    crossover=cross_models,
    test_of=test_of,
    smaller=smaller,
    max_len=_MAX_LEN,
    share=8,
)
