"""The bundled driver answers every call with a result or a HalError, and without exceptions, warnings or much memory.

The driver's limits are lowered, so that what they let through is quick and small and what they miss shows.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nnvet.adapters.calls import PreparedModelRecorder
from nnvet.graphs.hal_model import close_pools
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import close, create_ashmem, mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import (
    NO_DEADLINE,
    DataLocation,
    ErrorStatus,
    ExecutionConfig,
    Operand,
    PrepareModelConfig,
    Request,
    RequestArgument,
)
from nnvet.reference_driver import create, limits
from tests.driver.corrupting import corrupt_graph, corrupt_spec, requested_spec, revalued_spec
from tests.driver.graphs import graph
from tests.driver.questions import MOST_BYTES, Question, operation
from tests.driver.watching import Watch, watching

DEVICE = create()
LOW_LIMITS = {"ELEMENTS": 2**14, "HELD_BYTES": 2**18, "PRODUCTS": 2**22, "ROUNDS": 2**8}
PEAK_BYTES = 2**23
PATIENCE_S = 60.0
LOOP_NS = 500_000


@pytest.fixture(scope="module", name="watch")
def _watch() -> Iterator[Watch]:
    """A watch over a driver with low limits."""
    with pytest.MonkeyPatch.context() as patch, watching() as watch:
        for name, value in LOW_LIMITS.items():
            patch.setattr(limits, name, value)
        yield watch


def ask(question: Question, watch: Watch) -> tuple[str, ...]:
    """Ask the driver everything about a model; what it answers, with the rules that it names."""
    try:
        with watch.over(PEAK_BYTES):
            return tuple(_answers(question))
    finally:
        close_pools(question.model)


def _answers(question: Question) -> Iterator[str]:
    try:
        supported = DEVICE.get_supported_operations(question.model)
    except HalError as error:
        yield f"invalid {error.rule}"
        supported = ()
    status, prepared = _prepared(question)
    # True for all operations is a promise (docs/contract/hal.md 10.1).
    assert (prepared is not None) == (bool(supported) and all(supported))
    assert (status == ErrorStatus.NONE) == (prepared is not None)
    if prepared is None:
        return
    with packed(question) as request:
        config = ExecutionConfig(loop_timeout_duration_ns=LOOP_NS)
        try:
            result = prepared.execute_synchronously(request, config, NO_DEADLINE)
            yield "done" if result.output_sufficient_size else "too small"
        except HalError as error:
            yield f"{error.status.name} {error.rule}"


def _prepared(question: Question) -> tuple[ErrorStatus, PreparedModel | None]:
    recorder, raised = PreparedModelRecorder(), None
    try:
        DEVICE.prepare_model(question.model, PrepareModelConfig(), recorder)
    except HalError as error:
        raised = error.status
    assert recorder.wait(PATIENCE_S)
    ((status, prepared),) = recorder.notifications
    assert raised in (None, status)
    return status, prepared


@contextmanager
def packed(question: Question) -> Iterator[Request]:
    """A request with the question's data, and outputs of the known size or 64 bytes."""
    main = question.model.main
    sizes = [_output_size(main.operands[index]) for index in main.output_indexes]
    data = [*question.data, *[b""] * len(main.input_indexes)][: len(main.input_indexes)]
    pool = create_ashmem(sum(sizes) + sum(len(content or b"") for content in data) + 1)
    arguments, offset = [], 0
    with mapped(pool) as view:
        for content in data:
            if content is None:
                arguments.append(RequestArgument(has_no_value=True))
                continue
            view[offset : offset + len(content)] = content
            arguments.append(RequestArgument(location=DataLocation(0, offset, len(content))))
            offset += len(content)
    outputs = []
    for size in sizes:
        outputs.append(RequestArgument(location=DataLocation(0, offset, size)))
        offset += size
    try:
        yield question.ask(Request(tuple(arguments), tuple(outputs), (pool,)))
    finally:
        close(pool)


def _output_size(operand: Operand) -> int:
    size = math.prod(operand.dimensions) * type_info(operand.type).size
    return size if 0 < size <= MOST_BYTES else 64


MAKERS = {
    "operation": operation,
    "graph": graph,
    "corrupt graph": corrupt_graph,
    "corrupt spec": corrupt_spec,
    "revalued spec": revalued_spec,
    "requested spec": requested_spec,
}
"""Sources of questions."""

BLOCK = 250


@pytest.mark.sampled(5)
@pytest.mark.parametrize("block", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "maker",
    [
        pytest.param(make, id=name, marks=pytest.mark.long if name == "corrupt spec" else ())
        for name, make in MAKERS.items()
    ],
)
def test_many_questions(watch: Watch, maker: Callable[[Random], Question], block: int) -> None:
    """Every question of a long row is answered."""
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        with replayable(seed):
            ask(maker(Random(seed)), watch)


@contextmanager
def replayable(seed: int) -> Iterator[None]:
    """Tell which seed makes the question that went wrong."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"the question is that of Random({seed})")
        raise


@pytest.mark.sampled(6)
@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
@settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(chance=st.randoms(use_true_random=False))
def test_questions_of_hypothesis(watch: Watch, maker: Callable[[Random], Question], chance: Random) -> None:
    """Hypothesis finds no question that is not answered, or shrinks it."""
    ask(maker(chance), watch)
