"""The conversion of .tflite files: output besides the model, and messages where NNAPI has no form."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.importer import import_model
from nnvet.formats.tflite.writer import ModelWriter
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.types import Model
from tests.formats import cases_recurrent
from tests.formats.case_forms import Case, T, b, build, c, f, i32, q, s, state, w, w8
from tests.formats.cases_detection import head, options
from tests.formats.cases_recurrent import lstm_weights
from tests.formats.runtimes import run_on_driver

CONV = {"padding": 0, "stride_w": 1, "stride_h": 1}


def constants(model: Model, operand_type: OperandType) -> list[np.ndarray]:
    """Constants that were copied into the model, of one type."""
    copied = [o for o in model.main.operands if o.lifetime == OperandLifeTime.CONSTANT_COPY and o.type == operand_type]
    places = [(o.location.offset, o.location.offset + o.location.length) for o in copied]
    return [np.frombuffer(model.operand_values[start:end], "int32") for start, end in places]


def test_states_become_inputs_and_outputs() -> None:
    """Variable tensors are further model inputs and outputs, bound in pairs, of the same shape."""
    data, _ = build(
        Case(
            "LSTM", [f(1, 3), *lstm_weights(cifg=False, peephole=False, projection=True)], [f(1, 4)], {"activation": 4}
        )
    )
    with import_model(data) as imported:
        main = imported.model.main
        assert [(binding.input_index, binding.output_index, binding.zero) for binding in imported.states] == [
            (1, 1, 0),
            (2, 2, 0),
        ]
        for binding in imported.states:
            before = main.operands[main.input_indexes[binding.input_index]]
            after = main.operands[main.output_indexes[binding.output_index]]
            assert before.dimensions == after.dimensions
        assert len(main.input_indexes) == len(main.output_indexes) == 3


def test_state_is_carried_and_reset() -> None:
    """The same step twice differs while the state goes on, and repeats after it was set to zero."""
    data, _ = build(Case("RNN", [f(1, 3), w(4, 3), w(4, 4), w(4), state(1, 4)], [f(1, 4)], {"activation": 4}))
    step = [np.ones((1, 3), np.float32)]
    first, second = (outputs[0] for outputs in run_on_driver(data, [step, step]))
    (again,) = (outputs[0] for outputs in run_on_driver(data, [step]))
    assert np.abs(first - second).max() > 1e-3
    np.testing.assert_array_equal(first, again)


def test_description_of_the_ends() -> None:
    """Inputs and outputs keep name, type, shape and quantisation; operations know where they came from."""
    data, _ = build(Case("LOGISTIC", [q(2, 3)], [q(2, 3, scale=1 / 256, zp=0)]))
    with import_model(data) as imported:
        (given,), (result,) = imported.inputs, imported.outputs
        assert (given.name, given.type, given.shape) == ("in0", OperandType.TENSOR_QUANT8_ASYMM, (2, 3))
        assert (given.scale, given.zero_point) == (float(np.float32(0.05)), 120)
        assert (result.name, result.scale, result.zero_point) == ("out0", 1 / 256, 0)
        assert imported.origins == ("operator 0 LOGISTIC",)
        assert imported.feature_level == 1


def test_a_missing_bias_is_zeros() -> None:
    """A convolution without bias gets one of zeros, with the scale that NNAPI wants."""
    data, _ = build(
        Case(
            "CONV_2D", [q(1, 4, 4, 2), w8(3, 1, 1, 2, scale=0.5, zero_point=9), None], [q(1, 4, 4, 3, scale=2.0)], CONV
        )
    )
    with import_model(data) as imported:
        (bias,) = constants(imported.model, OperandType.TENSOR_INT32)
        assert bias.tolist() == [0, 0, 0]
        scales = [o.scale for o in imported.model.main.operands if o.type == OperandType.TENSOR_INT32]
        assert scales == [float(np.float32(0.05) * np.float32(0.5))]


def test_bias_scale_follows_the_weights() -> None:
    """A bias scale that is off by what TFLite tolerates is declared as exactly input scale times weight scale."""
    bias = c([1, 2, 3], "int32", scale=0.0250001)
    data, _ = build(
        Case(
            "CONV_2D", [q(1, 4, 4, 2), w8(3, 1, 1, 2, scale=0.5, zero_point=9), bias], [q(1, 4, 4, 3, scale=2.0)], CONV
        )
    )
    with import_model(data) as imported:
        scales = [o.scale for o in imported.model.main.operands if o.type == OperandType.TENSOR_INT32]
        assert scales == [float(np.float32(0.05) * np.float32(0.5))]


def test_float16_weights_are_widened() -> None:
    """DEQUANTIZE of a float16 constant leaves a float32 constant and no operation."""
    writer = ModelWriter()
    data, output = writer.tensor("data", (1, 3)), writer.tensor("output", (1, 2))
    half = writer.constant("half", [[1, 0.5, 0.25], [2, 0.1, 0]], "float16")
    wide = writer.tensor("wide", (2, 3))
    writer.operator("DEQUANTIZE", [half], [wide], version=3)
    writer.operator("FULLY_CONNECTED", [data, wide, -1], [output])
    file = writer.finish([data], [output])
    with import_model(file) as imported:
        assert [operation.type for operation in imported.model.main.operations] == [OperationType.FULLY_CONNECTED]
    (result,) = run_on_driver(file, [[np.asarray([[1, 10, 100]], np.float32)]])
    # 0.1 in float16 is 0.0999755859375: the widened weights are exactly the rounded ones.
    np.testing.assert_array_equal(result[0], np.asarray([[31, 2 + 10 * 0.0999755859375]], np.float32))


def test_large_constants_share_one_pool() -> None:
    """Constants above 128 bytes lie in one memory pool, which close() gives back."""
    data, _ = build(Case("FULLY_CONNECTED", [f(2, 30), w(40, 30), w(40)], [f(2, 40)]))
    imported = import_model(data)
    (pool,) = imported.model.pools
    lifetimes = [o.lifetime for o in imported.model.main.operands if o.type == OperandType.TENSOR_FLOAT32]
    assert lifetimes.count(OperandLifeTime.CONSTANT_REFERENCE) == 2
    imported.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(pool.handle.fd)


def test_input_shape_and_relaxation_can_be_given() -> None:
    """The first input takes another shape, everything behind it follows; relaxation is set on the model."""
    data, _ = build(
        Case(
            "AVERAGE_POOL_2D",
            [f(1, 4, 4, 2)],
            [f(1, 2, 2, 2)],
            {"padding": 1, "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2},
        )
    )
    with import_model(data, input_shape=(3, 8, 6, 2), relaxed=True) as imported:
        assert imported.outputs[0].shape == (3, 4, 3, 2)
        assert imported.model.relax_computation_float32_to_float16


def test_unknown_shapes_are_inferred() -> None:
    """Computed tensors without a shape in the file get theirs from the operations."""
    writer = ModelWriter()
    data, middle, output = writer.tensor("data", (2, 3)), writer.tensor("middle", ()), writer.tensor("output", ())
    writer.operator("EXPAND_DIMS", [data, writer.constant("axis", [0], "int32")], [middle])
    writer.operator("ABS", [middle], [output])
    with import_model(writer.finish([data], [output])) as imported:
        assert imported.outputs[0].shape == (1, 2, 3)


def hybrid(case: Case) -> Case:
    """The case with int8 matrices beside float activations."""
    tensors = [
        w8(*t.shape, dtype="int8", scale=0.01) if t is not None and t.value is not None and len(t.shape) == 2 else t
        for t in case.inputs
    ]
    return replace(case, inputs=tensors)


REFUSED = {
    "fused TANH": (Case("ADD", [f(2), f(2)], [f(2)], {"activation": 4}), "operator 0 ADD: .* fuse the activation TANH"),
    "foreign custom operator": (
        Case("CUSTOM 'Mine'", [f(2)], [f(2)]),
        "operator 0 CUSTOM 'Mine': it has no NNAPI counterpart",
    ),
    "detections without background": (
        head(4, "", num_classes=3),
        "3 scores for 3 classes; NNAPI wants a background class before them",
    ),
    "detections with damaged options": (
        replace(head(4, ""), options={"custom_options": options()[:-3]}),
        "CUSTOM 'TFLite_Detection_PostProcess': its options cannot be read",
    ),
    "no counterpart": (Case("COS", [f(2)], [f(2)]), "operator 0 COS: it has no NNAPI counterpart"),
    "hybrid": (
        Case("FULLY_CONNECTED", [f(1, 3), w8(2, 3, dtype="int8", scale=0.1), w(2)], [f(1, 2)]),
        r"hybrid quantisation.*full integer",
    ),
    "hybrid convolution": (
        Case("CONV_2D", [f(1, 4, 4, 2), w8(3, 1, 1, 2, dtype="int8", scale=0.1), w(3)], [f(1, 4, 4, 3)], CONV),
        "hybrid",
    ),
    **{
        f"hybrid {case.operator}": (
            hybrid(case),
            f"operator 0 {case.operator}: 8-bit weights with float.*: tensor . 'in1'",
        )
        for case in cases_recurrent.CASES
        if not case.name
    },
    "integer LSTM": (
        Case(
            "LSTM", [s(1, 3), *lstm_weights(cifg=False, peephole=False, projection=False)], [s(1, 5)], {"activation": 4}
        ),
        "operator 0 LSTM: it computes in INT8: .* to float",
    ),
    "basic LSTM": (Case("LSTM", [f(1, 3)], [f(1, 3)], {"kernel_type": 1}), "operator 0 LSTM: it uses the basic kernel"),
    "LSTM activation": (
        Case("LSTM", [f(1, 3), *lstm_weights(cifg=True, peephole=False, projection=False)], [f(1, 5)]),
        "activation code is 0",
    ),
    "state that is none": (Case("RNN", [f(1, 3), w(4, 3), w(4, 4), w(4), f(1, 4)], [f(1, 4)]), "not a variable tensor"),
    "LOGISTIC scale": (Case("LOGISTIC", [q(2, 3)], [q(2, 3)]), r"NNAPI's operation produces 0\.00390625"),
    "MUL scale": (Case("MUL", [q(2, scale=1.0), q(2, scale=1.0)], [q(2, scale=0.5)]), r"MUL/output\.scale"),
    "RELU scale": (Case("RELU", [q(2, scale=0.1)], [q(2, scale=0.2)]), "output.quantization"),
    "scales of raw codes": (Case("MAXIMUM", [q(2), q(2, scale=0.1)], [q(2)]), "different scales"),
    "integer DIV": (Case("DIV", [i32(2), i32(2)], [i32(2)]), "toward zero"),
    "quantised TOPK_V2": (Case("TOPK_V2", [q(2, 7), c(3)], [q(2, 3), i32(2, 3)]), "first of equal values"),
    "64-bit data": (Case("ABS", [T((2,), "int64")], [T((2,), "int64")]), "element type INT64"),
    "64-bit values": (Case("GATHER", [f(3), c([2**40], "int64")], [f(1)]), "do not fit 32 bits"),
    "computed axes": (Case("SUM", [f(2, 3), i32(1)], [f(2)]), "not a constant of integers"),
    "batch dimensions": (
        Case("GATHER", [f(2, 3), c([[0], [1]])], [f(2, 1)], {"axis": 1, "batch_dims": 1}),
        "batch_dims is 1",
    ),
    "broadcast product": (Case("BATCH_MATMUL", [f(2, 3, 4), f(1, 4, 5)], [f(2, 3, 5)]), "does not broadcast"),
    "new axis": (
        Case("STRIDED_SLICE", [f(2, 3), c([0]), c([1]), c([1])], [f(1, 2, 3)], {"new_axis_mask": 1}),
        "a new axis",
    ),
    "select broadcasts": (Case("SELECT_V2", [b(1), f(2), f(2)], [f(2)]), "SELECT"),
    "shuffled weights": (
        Case("FULLY_CONNECTED", [f(1, 3), w(2, 3), w(2)], [f(1, 2)], {"weights_format": 1}),
        "shuffled",
    ),
    "channels of activations": (Case("ABS", [f(3)], [T((3,), "int8", (0.1, 0.2, 0.3))]), "scales per channel"),
    "asymmetric channels": (
        Case(
            "CONV_2D",
            [s(1, 4, 4, 2), w8(2, 1, 1, 2, dtype="int8", scale=(0.1, 0.2), zero_point=1), None],
            [s(1, 4, 4, 2)],
            CONV,
        ),
        "other than symmetric int8",
    ),
    "missing scales": (
        Case("CONV_2D", [s(1, 4, 4, 2), w8(3, 1, 1, 2, dtype="int8", scale=(0.1, 0.2)), None], [s(1, 4, 4, 3)], CONV),
        "2 scales for shape",
    ),
    "declared shape": (Case("ABS", [f(2, 3)], [f(2, 4)]), r"yields the shape \(2, 3\), the file says \(2, 4\)"),
    "broadcast": (Case("ADD", [f(2, 3), f(4)], [f(2, 3)]), "ADD/broadcast"),
    "large": (Case("ABS", [f(2**20, 2**10)], [f(2**20, 2**10)]), "larger than 2 GiB"),
}


@pytest.mark.parametrize(("case", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals_name_the_operator_and_the_reason(case: Case, message: str) -> None:
    """An operator without an NNAPI form of the same meaning is an error of one line with file, reason and advice."""
    data, _ = build(case)
    with pytest.raises(ModelFileError, match=message) as caught:
        import_model(data, name="net.tflite")
    assert str(caught.value).startswith("net.tflite: ")
    assert "\n" not in str(caught.value)


def _twice(writer: ModelWriter) -> bytes:
    data, output = writer.tensor("data", (2,)), writer.tensor("output", (2,))
    writer.operator("ABS", [data], [output])
    writer.operator("NEG", [data], [output])
    return writer.finish([data], [output])


def _constant_output(writer: ModelWriter) -> bytes:
    data, output = writer.tensor("data", (2,)), writer.tensor("output", (2,))
    writer.operator("ABS", [data], [output])
    return writer.finish([data], [writer.constant("constant", [1.0])])


def _doubled_output(writer: ModelWriter) -> bytes:
    data, output = writer.tensor("data", (2,)), writer.tensor("output", (2,))
    writer.operator("ABS", [data], [output])
    return writer.finish([data], [output, output])


def _doubled_input(writer: ModelWriter) -> bytes:
    data, output = writer.tensor("data", (2,)), writer.tensor("output", (2,))
    writer.operator("ABS", [data], [output])
    return writer.finish([data, data], [output])


def _backwards(writer: ModelWriter) -> bytes:
    data, middle, output = (writer.tensor(name, (2,)) for name in ("data", "middle", "output"))
    writer.operator("ABS", [middle], [output])
    writer.operator("NEG", [data], [middle])
    return writer.finish([data], [output])


def _two_users_of_a_state(writer: ModelWriter) -> bytes:
    data, memory = writer.tensor("data", (1, 3)), writer.tensor("memory", (1, 3), is_variable=True)
    square, vector = writer.constant("square", np.eye(3)), writer.constant("vector", [0, 0, 0])
    outputs = [writer.tensor("one", (1, 3)), writer.tensor("two", (1, 3))]
    for output in outputs:
        writer.operator("RNN", [data, square, square, vector, memory], [output], activation=4)
    return writer.finish([data], outputs)


def _no_operator(writer: ModelWriter) -> bytes:
    return writer.finish([writer.tensor("data", (2,))], [0])


def _huge_constants(writer: ModelWriter) -> bytes:
    data = current = writer.tensor("data", (1, 600_000))
    shared = writer.constant("shared", np.ones((1, 600_000)), "float32")
    for number in range(20):
        alias = writer.tensor(f"alias{number}", (1, 600_000))
        # Many tensors name the buffer of one: legal, but a converter must not copy it for each without limit.
        writer._tensors[alias]["buffer"] = writer._tensors[shared]["buffer"]
        output = writer.tensor(f"sum{number}", (1, 600_000))
        writer.operator("ADD", [current, alias], [output])
        current = output
    return writer.finish([data], [current])


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (_twice, "is written a second time"),
        (_constant_output, "output 0 .* is not computed by an operator"),
        (_doubled_output, "output 1 .* listed twice"),
        (_doubled_input, "input 1 .* listed twice"),
        (_backwards, "tensor 1 'middle' is read before it is computed"),
        (_two_users_of_a_state, "is the state of two operators"),
        (_no_operator, "needs an input, an operator and an output"),
        (_huge_constants, "constants are far larger than the file"),
    ],
)
def test_graphs_that_make_no_sense(write: Callable[[ModelWriter], bytes], message: str) -> None:
    """Graphs that no converter writes are refused with the tensor or end that is wrong."""
    with pytest.raises(ModelFileError, match=message):
        import_model(write(ModelWriter()))


def test_files_that_are_none(tmp_path: Path) -> None:
    """Missing files, folders and other formats are distinguished."""
    with pytest.raises(ModelFileError, match="no such model file"):
        import_model(tmp_path / "missing.tflite")
    with pytest.raises(ModelFileError, match="no such model file"):
        import_model(tmp_path)
    other = tmp_path / "other.tflite"
    other.write_bytes(b"not a flatbuffer")
    with pytest.raises(ModelFileError, match="not a TFLite file"):
        import_model(other)
    other.write_bytes(b"")
    with pytest.raises(ModelFileError, match="not a TFLite file"):
        import_model(other)
