"""Fused operations give the results of single ones, and are not fused where a caller observes results in between."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.diagnostics import tracing
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.enums import ExecutionPreference, OperandType
from nnvet.hal.operations.declaration import copy_of
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.oracle.execution import evaluate
from nnvet.reference_driver.compiled import CompiledModel
from nnvet.reference_driver.device import create
from nnvet.reference_driver.executor import GraphExecution
from nnvet.reference_driver.fused import program
from nnvet.reference_driver.fused.program import Run
from nnvet.reference_driver.zoo import registry
from tests.driver.fusible import KINDS, Network, random_network
from tests.on_kernels import assert_agree, given

pytest.importorskip("numba", reason="operations are put together by numba, of the extra 'fast'")

SUSTAINED = PrepareModelConfig(preference=ExecutionPreference.SUSTAINED_SPEED)
SEEDS = range(40)


def execute(compiled: CompiledModel, values: Sequence[Array | None]) -> list[Array]:
    """Outputs of the main subgraph."""
    main = compiled.main
    inputs = [replace(main.arguments[i], value=v) for i, v in zip(main.source.input_indexes, values, strict=True)]
    outputs = [copy_of(main.arguments[index]) for index in main.source.output_indexes]
    return [result.array for result in GraphExecution(compiled).run(inputs, outputs)]


def together(compiled: CompiledModel) -> list[Run]:
    """The runs of a model."""
    assert compiled.main.fused is not None
    return [part for part in compiled.main.fused.parts(compiled.main) if isinstance(part, Run)]


@pytest.fixture
def models() -> Iterator[list[Model]]:
    """Models that are closed at the end."""
    made: list[Model] = []
    yield made
    for model in made:
        close_pools(model)


def prepared(test: TestModel, models: list[Model], config: PrepareModelConfig) -> CompiledModel:
    """A model as the full driver prepares it."""
    model = build_model(test)
    models.append(model)
    return create().build(model, config).compiled


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("seed", SEEDS)
def test_together_is_one_by_one(kind: OperandType, seed: int, models: list[Model]) -> None:
    """All operations of a network are put together; codes are to the bit those of the kernels, and of the oracle."""
    test = random_network(kind, seed)
    single, fused = (prepared(test, models, config) for config in (PrepareModelConfig(), SUSTAINED))
    values = [given(operand) for operand in test.main.inputs]
    expected = execute(single, values)
    for _ in range(2):
        assert_agree(execute(fused, values), expected, test.main.outputs)
    assert single.main.fused is None
    (run,) = together(fused)
    assert len(run.operations) == len(test.main.operations)
    if kind != OperandType.TENSOR_FLOAT32:
        assert_agree(execute(fused, values), evaluate(models[0], values), test.main.outputs)


@pytest.fixture
def network() -> TestModel:
    """Two convolutions and a sum, of codes."""
    made = Network(OperandType.TENSOR_QUANT8_ASYMM, np.random.default_rng(1))
    made.start(1, 6, 6, 8)
    made.convolution()
    first = made.current
    made.sum(first)
    made.convolution(depthwise=True)
    return made.model()


def test_concurrent_executions(models: list[Model]) -> None:
    """Executions of one prepared model at the same time have arenas of their own."""
    test = random_network(OperandType.TENSOR_QUANT8_ASYMM, 3)
    compiled = prepared(test, models, SUSTAINED)
    rng = np.random.default_rng(0)
    requests = [
        [rng.integers(0, 256, operand.dimensions).astype(np.uint8) for operand in test.main.inputs] for _ in range(200)
    ]
    expected = [execute(compiled, request) for request in requests]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda request: execute(compiled, request), requests))
    for result, wanted in zip(results, expected, strict=True):
        assert_agree(result, wanted, test.main.outputs)


def test_another_kernel_is_used(network: TestModel, models: list[Model]) -> None:
    """A driver that exchanges a kernel after the preparation, or between executions, is not bypassed."""
    compiled = prepared(network, models, SUSTAINED)
    values = [given(operand) for operand in network.main.inputs]
    (plain,) = execute(compiled, values)
    last = compiled.main.operations[-1]
    kernel = last.kernel
    last.kernel = lambda call: np.asarray(kernel(call)) ^ 1
    (other,) = execute(compiled, values)
    np.testing.assert_array_equal(other, plain ^ 1)
    last.kernel = kernel
    np.testing.assert_array_equal(execute(compiled, values)[0], plain)


def test_planted_bug_is_there(models: list[Model]) -> None:
    """A bug of the zoo that benchmarks find is there when the model is prepared as they do it."""
    made = Network(OperandType.TENSOR_FLOAT32, np.random.default_rng(1))
    made.start(1, 6, 6, 40)
    made.convolution(depthwise=True)
    made.pool()
    test = made.model()
    model = build_model(test)
    models.append(model)
    values = [given(operand) for operand in test.main.inputs]
    devices = create(), registry.create("bench-one-channel")
    results = [execute(device.build(model, SUSTAINED).compiled, values)[0] for device in devices]
    assert not np.allclose(*results)


def test_single_operations_for_a_trace(network: TestModel, models: list[Model]) -> None:
    """While spans are recorded, each operation has one."""
    compiled = prepared(network, models, SUSTAINED)
    values = [given(operand) for operand in network.main.inputs]
    execute(compiled, values)
    with tracing.recording() as recorded:
        execute(compiled, values)
    events = [event for thread in recorded.threads for event in thread.events]
    details = [event.mark.detail for event in events if event.mark is not None]
    assert details == ["CONV_2D", "ADD", "DEPTHWISE_CONV_2D"]


def test_clock_is_looked_at(network: TestModel, models: list[Model], monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run asks between its parts whether it may go on."""
    monkeypatch.setattr("nnvet.reference_driver.fused.program._WORK_AT_ONCE", 1)
    compiled = prepared(network, models, SUSTAINED)
    (run,) = together(compiled)
    asked: list[int] = []
    live = list(compiled.main.arguments)
    values = [given(operand) for operand in network.main.inputs]
    for index, value in zip(compiled.main.source.input_indexes, values, strict=True):
        live[index] = replace(live[index], value=value)
    run.execute(live, lambda: asked.append(1))
    assert len(asked) == len(run.tables) - 1 > 1


def test_without_numba(network: TestModel, models: list[Model], monkeypatch: pytest.MonkeyPatch) -> None:
    """If numba cannot be imported, operations are done one by one."""
    monkeypatch.setitem(sys.modules, "nnvet.reference_driver.fused.machine", None)
    program.load.cache_clear()
    try:
        assert prepared(network, models, SUSTAINED).main.fused is None
    finally:
        program.load.cache_clear()


def test_machine_code_cannot_be_loaded(
    network: TestModel, models: list[Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong with loading it, such as a file that cannot be read, operations are done one by one."""

    def broken(_: str) -> object:
        raise OSError("no such file")

    monkeypatch.setattr(program.importlib, "import_module", broken)
    program.load.cache_clear()
    try:
        assert prepared(network, models, SUSTAINED).main.fused is None
    finally:
        program.load.cache_clear()
