"""Recurrent operations written as files: LiteRT keeps their states, and computes what it did and what drivers do.

The networks are those by which the reader is tested, of which LiteRT says what they mean.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.adapters.litert.device import create
from nnvet.adapters.litert.writing import InexpressibleError, tflite_file
from nnvet.conformance.engine.selection import BUNDLED_SPECS, spec_files
from nnvet.formats.tflite.importer import import_model
from nnvet.generators.random_graphs.golden import inputs_of
from nnvet.generators.specs import load_spec
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.types import Operation, OperationType, PrepareModelConfig
from tests.adapters.tflite_forms import written
from tests.formats import cases_recurrent
from tests.formats.case_forms import Case, build
from tests.formats.runtimes import Arrays, run_on_driver, run_on_litert
from tests.models.toys.networks import speech

STEPS = 4
CELLS = 100
"""At least so many outputs of specs are compared."""
EACH = 4
"""So many specs of each operation are given to the driver."""
CELLS_OF_DRIVER = (
    OperationType.LSTM,
    OperationType.RNN,
    OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM,
    OperationType.UNIDIRECTIONAL_SEQUENCE_RNN,
    OperationType.BIDIRECTIONAL_SEQUENCE_LSTM,
    OperationType.BIDIRECTIONAL_SEQUENCE_RNN,
)


def steps_of(data: bytes) -> list[Arrays]:
    """Random inputs of some steps."""
    rng = np.random.default_rng(7)
    with import_model(data) as imported:
        return [[rng.normal(0, 1, tensor.shape).astype("f4") for tensor in imported.inputs] for _ in range(STEPS)]


def written_again(data: bytes) -> bytes:
    """From TFLite to the HAL and back."""
    with import_model(data) as imported:
        return tflite_file(imported.model)


def assert_same(before: bytes) -> None:
    """LiteRT gives the same for both files in each step, and so does a driver to which the second is given."""
    after, steps = written_again(before), steps_of(before)
    expected = run_on_litert(before, steps)
    for wanted, found in zip(expected, run_on_litert(after, steps), strict=True):
        for array, other in zip(wanted, found, strict=True):
            np.testing.assert_array_equal(array, other)
    for wanted, found in zip(expected, run_on_driver(after, steps), strict=True):
        for array, other in zip(wanted, found, strict=True):
            np.testing.assert_allclose(other.reshape(array.shape), array, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", cases_recurrent.CASES, ids=str)
def test_every_recurrent_operator(case: Case) -> None:
    """With and without what is optional; in the second step a lost state would show."""
    assert_same(build(case)[0])


def cases() -> Iterator[TestModel]:
    """The bundled specs of cells, of valid models in float32; of SVDF LiteRT keeps states in another order."""
    for file in spec_files([BUNDLED_SPECS]):
        if any(name in file.path for name in ("rnn_", "lstm_")) and "half" not in file.path:
            yield from (test for case in load_spec(file.path) if not (test := case.build()).expect_failure)


def test_specs_of_cells() -> None:
    """LiteRT gives what the specs expect, which is the oracle's, once its variables hold the states of the spec."""
    interpreter = pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
    plain, count = interpreter.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES, 0
    for test, data in ((test, data) for test in cases() if (data := written(test))):
        runner = interpreter.Interpreter(model_content=data, num_threads=1, experimental_op_resolver_type=plain)
        runner.allocate_tensors()
        places = {detail["name"]: detail["index"] for detail in runner.get_tensor_details()}
        if not all(f"op{index}" in places for index in test.main.input_indexes):
            continue
        for index, operand in zip(test.main.input_indexes, test.main.inputs, strict=True):
            runner.set_tensor(places[f"op{index}"], np.asarray(operand.data).reshape(operand.dimensions))
        runner.invoke()
        ends = {detail["name"] for detail in runner.get_output_details()}
        for index, operand in zip(test.main.output_indexes, test.main.outputs, strict=True):
            if f"op{index}" in ends:
                count += 1
                found = runner.get_tensor(places[f"op{index}"])
                np.testing.assert_allclose(found.reshape(-1), operand.data, rtol=1e-5, atol=1e-5, err_msg=test.name)
    assert count >= CELLS


def test_the_driver_passes_states_in_and_out() -> None:
    """A client's states come to the operation, and its own come back, twice the same; expected is what specs say."""
    pytest.importorskip("ai_edge_litert", reason="needs the litert extra")
    devices, seen = [create(f"kernels={name}") for name in ("builtin", "reference")], Counter[int]()
    for test in cases():
        (operation, *_) = test.main.operations
        if seen[operation.type] >= EACH or any(0 in operand.dimensions for operand in test.main.inputs):
            continue
        model = build_model(test)
        plans = [device.plan(model) for device in devices]
        for plan in plans:
            if all(plan.supported):
                prepared = plan.compile(PrepareModelConfig())
                for _ in range(2):
                    assert_expected(prepared.compute(inputs_of(test)), test)
        seen[operation.type] += all(plans[0].supported)
        close_pools(model)
    assert set(CELLS_OF_DRIVER) <= {operation for operation in seen if seen[operation] == EACH}


def assert_expected(results: Sequence[Array], test: TestModel) -> None:
    """Every output, states included, is what the spec expects."""
    for result, operand in zip(results, test.main.outputs, strict=True):
        if not operand.is_ignored:
            np.testing.assert_allclose(result.reshape(-1), operand.data, rtol=1e-5, atol=1e-5, err_msg=test.name)


@pytest.mark.parametrize("coupled", [False, True])
def test_whole_networks(coupled: bool) -> None:
    """An LSTM with projection between layers of another kind, with a recurrent head."""
    assert_same(speech(8, 6, 5, 3, coupled=coupled, recurrent_head=True))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (lambda rnn: replace(rnn, outputs=(rnn.outputs[1], rnn.outputs[0])), "its state, operand [0-9]+, is no input"),
        (
            lambda rnn: replace(rnn, inputs=(*rnn.inputs[:4], rnn.outputs[0], *rnn.inputs[5:])),
            "another operation reads its state, operand [0-9]+",
        ),
    ],
    ids=["shared", "passed on"],
)
def test_states_that_are_not_the_clients(more: Callable[[Operation], Operation], message: str) -> None:
    """Two operations with one state, or one that hands its state to the next, are no TFLite file."""
    (case,) = [candidate for candidate in cases_recurrent.CASES if candidate.operator == "RNN"]
    with import_model(build(case)[0]) as imported:
        main = imported.model.main
        (rnn,) = main.operations
        model = replace(imported.model, main=replace(main, operations=(rnn, more(rnn))))
        with pytest.raises(InexpressibleError, match=f"operation 0 RNN has no form in TFLite: {message}"):
            tflite_file(model)
        assert re.match(message, create("").plan(model).refusal)
