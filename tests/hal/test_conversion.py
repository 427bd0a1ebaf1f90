"""Forms of models, requests, capabilities, options and results at older levels: there and back nothing is lost."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.strategies import models
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel
from nnvet.hal.conversion import (
    UNKNOWN_PERFORMANCE,
    capabilities_at,
    capabilities_comply,
    execution_at,
    execution_complies,
    model_at,
    model_complies,
    preparation_at,
    preparation_complies,
    request_at,
    request_complies,
    result_at,
    result_complies,
    status_at,
)
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, ExecutionPreference, FeatureLevel, OperandType, Priority
from nnvet.hal.errors import HalError
from nnvet.hal.levels import without_consumers
from nnvet.hal.types import (
    BufferToken,
    Capabilities,
    DataLocation,
    ExecutionConfig,
    ExecutionResult,
    HardwareBuffer,
    Model,
    OperandPerformance,
    OutputShape,
    OwnedHandle,
    PerformanceInfo,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
    Timing,
    TokenValuePair,
)
from nnvet.hal.validation import validate_model

LEVELS = list(FeatureLevel)
levels = st.sampled_from(LEVELS)
SOME = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
SMALL = GraphOptions(operations=(1, 4), dimensions=(1, 3), elements=300)
numbers = st.floats(0.125, 8, width=32)
infos = st.builds(PerformanceInfo, numbers, numbers)


def table(figures: dict[OperandType, PerformanceInfo]) -> tuple[OperandPerformance, ...]:
    """Figures by type in order."""
    return tuple(OperandPerformance(kind, figures[kind]) for kind in sorted(figures))


capabilities = st.builds(
    Capabilities,
    infos,
    infos,
    st.dictionaries(st.sampled_from([kind for kind in OperandType if kind < OperandType.SUBGRAPH]), infos).map(table),
    infos,
    infos,
)
times = st.just(-1) | st.integers(0, 10**12)
preparations = st.builds(
    PrepareModelConfig,
    preference=st.sampled_from(ExecutionPreference),
    priority=st.sampled_from(Priority),
    deadline_ns=times,
    cache_token=st.binary(min_size=32, max_size=32),
    compilation_hints=st.lists(st.builds(TokenValuePair, st.integers(1, 9), st.binary(max_size=3)), max_size=2).map(
        tuple
    ),
)
executions = st.builds(ExecutionConfig, st.booleans(), times)
results = st.builds(
    ExecutionResult,
    st.booleans(),
    st.lists(st.builds(OutputShape, st.just((2, 3)), st.booleans()), max_size=2).map(tuple),
    st.builds(Timing, times, times),
)


def counted(subgraph: Subgraph, count: int) -> Subgraph:
    """Copy whose operands all have the same number of consumers."""
    return replace(
        subgraph, operands=tuple(replace(operand, number_of_consumers=count) for operand in subgraph.operands)
    )


def test_consumers_go_and_nothing_else(add_model: Model) -> None:
    """In the main subgraph and the referenced ones the numbers become None; the rest is as it was."""
    plain = replace(add_model, referenced=(add_model.main,))
    assert all(operand.number_of_consumers is None for operand in add_model.main.operands)
    with_counts = replace(plain, main=counted(plain.main, 1), referenced=(counted(add_model.main, 0),))
    assert with_counts != plain
    assert without_consumers(with_counts) == plain


@settings(SOME, max_examples=25)
@given(models(SMALL), levels)
def test_models_there_and_back(test: TestModel, level: FeatureLevel) -> None:
    """A model that complies is valid at the level, and what it was after the way back; others are refused."""
    model = build_model(test)
    try:
        if not model_complies(model, level):
            assert level < max(LEVELS)
            with pytest.raises(HalError, match="needs feature level"):
                model_at(model, level)
            return
        assert all(model_complies(model, higher) for higher in LEVELS if higher >= level)
        older = model_at(model, level)
        validate_model(older, level)
        assert model_at(older, level) == older
        has_counts = [operand.number_of_consumers is not None for operand in older.main.operands]
        assert has_counts == [level <= FeatureLevel.FL4] * len(has_counts)
        if level > FeatureLevel.FL1:
            assert model_at(older, FeatureLevel.FL8) == without_consumers(model)
    finally:
        close_pools(model)


def test_the_oldest_level_knows_no_relaxed_float32(add_model: Model) -> None:
    """The flag is advice, and goes."""
    relaxed = replace(add_model, relax_computation_float32_to_float16=True)
    assert not model_at(relaxed, FeatureLevel.FL1).relax_computation_float32_to_float16
    assert model_at(relaxed, FeatureLevel.FL2).relax_computation_float32_to_float16


@SOME
@given(capabilities, levels)
def test_capabilities_there_and_back(given_: Capabilities, level: FeatureLevel) -> None:
    """Figures in the form of a level are what a driver of the level could have answered, and stay so at higher ones."""
    older = capabilities_at(given_, level)
    assert capabilities_comply(older, level)
    assert all(capabilities_comply(older, higher) for higher in LEVELS if higher >= level)
    assert capabilities_comply(given_, level) == (older == given_)
    if level >= FeatureLevel.FL4:
        assert older == given_
    else:
        assert older.if_performance == older.while_performance == UNKNOWN_PERFORMANCE


def test_figures_that_become_one() -> None:
    """By hand: FL1 has float32 and 8 bits, FL2 relaxed float32 besides, FL3 all types but those of FL4."""
    fast, slow, half, other = (PerformanceInfo(number, number) for number in (0.25, 2.0, 0.5, 4.0))
    kinds = OperandType
    figures = {kinds.FLOAT32: slow, kinds.TENSOR_FLOAT32: fast, kinds.TENSOR_INT32: slow, kinds.TENSOR_FLOAT16: half}
    figures |= {kinds.TENSOR_QUANT8_ASYMM: other, kinds.TENSOR_QUANT8_ASYMM_SIGNED: other}
    full = Capabilities(slow, half, table(figures), fast, fast)
    eight = (kinds.INT32, kinds.UINT32, kinds.TENSOR_INT32, kinds.TENSOR_QUANT8_ASYMM)
    oldest = {kinds.FLOAT32: fast, kinds.TENSOR_FLOAT32: fast, **dict.fromkeys(eight, other)}
    none = UNKNOWN_PERFORMANCE
    assert none.exec_time == np.finfo(np.float32).max
    assert capabilities_at(full, FeatureLevel.FL1) == Capabilities(fast, fast, table(oldest), none, none)
    assert capabilities_at(full, FeatureLevel.FL2) == Capabilities(half, half, table(oldest), none, none)
    del figures[kinds.TENSOR_QUANT8_ASYMM_SIGNED]
    assert capabilities_at(full, FeatureLevel.FL3) == Capabilities(slow, half, table(figures), none, none)


@SOME
@given(preparations, executions, levels)
def test_options_there_and_back(prepare: PrepareModelConfig, execute: ExecutionConfig, level: FeatureLevel) -> None:
    """Options of the level stay, others become the default, and comes back with no higher level."""
    older = preparation_at(prepare, level)
    assert preparation_complies(older, level)
    assert preparation_complies(prepare, level) == (older == prepare)
    assert (older.preference == prepare.preference) or level < FeatureLevel.FL2
    assert (older.priority, older.deadline_ns) == (
        (prepare.priority, prepare.deadline_ns) if level >= FeatureLevel.FL4 else (Priority.MEDIUM, NO_DEADLINE)
    )
    run = execution_at(execute, level)
    assert execution_complies(run, level)
    assert run.measure_timing == (execute.measure_timing and level >= FeatureLevel.FL3)
    for higher in LEVELS:
        if higher >= level:
            assert preparation_at(older, higher) == older
            assert execution_at(run, higher) == run
    assert (preparation_at(prepare, FeatureLevel.FL8), execution_at(execute, FeatureLevel.FL8)) == (prepare, execute)


@SOME
@given(results, levels)
def test_results_there_and_back(result: ExecutionResult, level: FeatureLevel) -> None:
    """Times lose less than a microsecond, shapes nothing; the oldest levels cannot say that an output is too small."""
    if level < FeatureLevel.FL3 and not result.output_sufficient_size:
        assert not result_complies(result, level)
        with pytest.raises(HalError, match="too small"):
            result_at(result, level)
        return
    older = result_at(result, level)
    assert result_complies(older, level)
    assert result_at(older, FeatureLevel.FL8) == older
    if level < FeatureLevel.FL3:
        assert older == ExecutionResult()
        return
    assert older.output_shapes == result.output_shapes
    for before, after in zip(
        (result.timing.time_on_device_ns, result.timing.time_in_driver_ns),
        (older.timing.time_on_device_ns, older.timing.time_in_driver_ns),
        strict=True,
    ):
        assert before == after or (level <= FeatureLevel.FL4 and 0 <= before - after < 1000)


def test_requests(add_model: Model) -> None:
    """Padding goes where there is none; device memory, hardware buffers and unknown outputs need their level."""
    where = DataLocation(0, 0, 16, 16)
    padded = Request((RequestArgument(location=where),) * 2, (RequestArgument(location=where),), (BufferToken(1),))
    assert not request_complies(padded, add_model, FeatureLevel.FL4)
    converted = request_at(padded, add_model, FeatureLevel.FL4)
    assert request_complies(converted, add_model, FeatureLevel.FL4)
    assert [argument.location for argument in converted.inputs] == [DataLocation(0, 0, 16)] * 2
    assert request_at(padded, add_model, FeatureLevel.FL5) is padded
    buffer = replace(converted, pools=(HardwareBuffer(OwnedHandle(-1), 64),))
    for refused, least in ((converted, FeatureLevel.FL4), (buffer, FeatureLevel.FL3)):
        assert request_at(refused, add_model, least) == refused
        with pytest.raises(HalError, match=f"needs feature level {int(least)}"):
            request_at(refused, add_model, FeatureLevel(least - 1))
    output = add_model.main.output_indexes[0]
    operands = list(add_model.main.operands)
    operands[output] = replace(operands[output], dimensions=(0,) * len(operands[output].dimensions))
    unknown = replace(add_model, main=replace(add_model.main, operands=tuple(operands)))
    plain = replace(converted, pools=())
    assert not request_complies(plain, unknown, FeatureLevel.FL2)
    assert request_complies(plain, unknown, FeatureLevel.FL3)


def test_newer_statuses_become_a_general_failure() -> None:
    """The five statuses of the oldest level stay."""
    assert status_at(ErrorStatus.DEAD_OBJECT, FeatureLevel.FL3) is ErrorStatus.GENERAL_FAILURE
    assert status_at(ErrorStatus.MISSED_DEADLINE_PERSISTENT, FeatureLevel.FL4) is ErrorStatus.MISSED_DEADLINE_PERSISTENT
    old = [status for status in ErrorStatus if status <= ErrorStatus.INVALID_ARGUMENT]
    assert len(old) == 5
    assert [status_at(status, FeatureLevel.FL1) for status in old] == old
