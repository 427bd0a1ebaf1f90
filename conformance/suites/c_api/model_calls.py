"""Tables of the C functions that build a model: right arguments, wrong ones and wrong states, with their results.

The constants quote the sentences of docs/contract/c-api.md on which the expected results rest.
:mod:`nnvet.conformance.suites.c_api.tables` defines the form of a row, :mod:`nnvet.conformance.suites.c_api.checks`
runs the cases.
"""

from __future__ import annotations

from typing import Final

from nnvet.adapters.nnapi.sequences import (
    Channels,
    New,
    NumberArray,
    ObjectPointers,
    OperandTypeData,
    TextArgument,
    WritablePlace,
)
from nnvet.conformance.suites.c_api import vocabulary
from nnvet.conformance.suites.c_api.tables import INDEX_CITED, CallRow, Wrong
from nnvet.hal.enums import OperandType, OperationType

# Texts are sentences of docs/contract/c-api.md, which the steps cite.
_LATE: Final = "every modification → BAD_STATE"
_VALUES: Final = "unknown dims, wrong length, bad index BAD_DATA"
_MEMORY: Final = "length must equal needed size; offset+length ≤ memory size"
_ILLEGAL: Final = "scale/zeroPoint illegal"
_DIMENSIONS: Final = "(dimensions==NULL) ≠ (count==0)"
_CHANNELS: Final = "channelDim ≥ rank, count ≠ dimension, empty, dimension 0,"
_IDENTIFIED: Final = "BAD_DATA for bad index or operand that is not a plain temporary"
_OPERATION: Final = "BAD_DATA for unknown type, index out of range, operation-specific operand-type violations"
_POINTERS: Final = "inputs and outputs pointers must be non-null"
_OEM: Final = "OEM scalar 10000, OEM byte tensor 10001"
_DATA: Final = "setOperandExtensionData: only extension operands (BAD_DATA)"
_DEVICES: Final = "0 devices BAD_DATA; unfinished/invalid model BAD_STATE; null entry"
_INDEXES: Final = {"index_negative": -1, "index_beyond": 4, "index_far": 999}
"""Indexes that a model of four operands does not have."""
_NAME: Final = TextArgument("com.example.nnvet.checked")
"""Name of an extension that no driver has."""
_MAIN: Final = OperandTypeData(OperandType.SUBGRAPH)
"""Type of an operand that stands for another model."""
_FAILED_FINISH: Final = vocabulary.call(
    "Model_finish", "model", codes=vocabulary.BAD_DATA, cites="cycles/never written BAD_DATA; full validation BAD_DATA"
)
"""The step that tries in vain to finish a wrong model."""


def _list_wrong_indexes(position: int) -> dict[str, Wrong]:
    """Return indexes that do not exist, as the argument at ``position``."""
    return {
        name: Wrong({position: index}, cites=INDEX_CITED if index < 0 else _VALUES) for name, index in _INDEXES.items()
    }


def _finish_first(base: vocabulary.Base) -> dict[str, vocabulary.Steps]:
    """Return the step after which setters are refused, by the name of the case."""
    del base
    return {"after_finish": (vocabulary.call("Model_finish", "model"),)}


def _failed_model(base: vocabulary.Base) -> vocabulary.Steps:
    """Return steps that try in vain to finish a model without an operation."""
    return (*vocabulary.with_operands(base), _FAILED_FINISH)


def _list_wrong_operands(base: vocabulary.Base) -> dict[str, Wrong]:
    """Return types of operands that no model may have."""
    codes = OperandType.TENSOR_QUANT8_ASYMM
    wrong = {
        "type_unknown": (OperandTypeData(100, (2,)), "addOperand: BAD_DATA for unknown type"),
        "type_negative": (OperandTypeData(-1, (2,)), "extension type not registered or extensions forbidden"),
        "scalar_with_dimension": (OperandTypeData(OperandType.INT32, (1,)), "scalar with dimensions"),
        "dimensions_null": (OperandTypeData(base.type, (2,), base.scale, has_pointer=False), _DIMENSIONS),
        "dimensions_not_null": (OperandTypeData(base.type, (2,), base.scale, count=0), _DIMENSIONS),
        "scale_negative": (OperandTypeData(codes, (2,), -1.0), _ILLEGAL),
        "scale_zero": (OperandTypeData(codes, (2,)), _ILLEGAL),
        "scale_of_float": (OperandTypeData(OperandType.TENSOR_FLOAT32, (2,), 1.0), _ILLEGAL),
        "zero_point_negative": (OperandTypeData(codes, (2,), 1.0, -1), _ILLEGAL),
        "zero_point_above": (OperandTypeData(codes, (2,), 1.0, 256), _ILLEGAL),
        "size_overflow": (
            OperandTypeData(OperandType.TENSOR_FLOAT32, (5, 4, 4, 786433, 5, 3, 16777216, 4, 5)),
            "byte size > UINT32_MAX",
        ),
    }
    return {name: Wrong({1: operand}, cites=cites) for name, (operand, cites) in wrong.items()}


def _list_unknown_operands(base: vocabulary.Base) -> dict[str, dict[int, vocabulary.Given]]:
    """Return types that are accepted, though a part of them is known only later or only to a manufacturer."""
    unknown = OperandTypeData(base.type, (), base.scale, has_pointer=False)
    oem = OperandTypeData(OperandType.TENSOR_OEM_BYTE, (2,))
    return {"unknown_rank": {1: unknown}, "unknown_dimension": {1: base.operand(0)}, "oem_tensor": {1: oem}}


def _channel_model(base: vocabulary.Base) -> vocabulary.Steps:
    """Return steps that make a model with an operand that needs per-channel scales, and a usual one."""
    channels = OperandTypeData(OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL, (2, 3))
    return (
        *vocabulary.open_model(),
        *(vocabulary.call("Model_addOperand", "model", it) for it in (channels, base.operand())),
    )


def _list_wrong_channels(_: vocabulary.Base) -> dict[str, Wrong]:
    """Return per-channel scales that do not fit the operand."""
    wrong = {
        "dimension_beyond": Channels(2, (1.0, 1.0)),
        "too_few_scales": Channels(0, (1.0,)),
        "too_many_scales": Channels(0, (1.0, 1.0, 1.0)),
        "no_scales": Channels(0, ()),
        "null_scales": Channels(0, (1.0, 1.0), has_pointer=False),
        "scale_negative": Channels(0, (1.0, -1.0)),
        "scale_zero": Channels(0, (1.0, 0.0)),
    }
    cited = {name: Wrong({2: params}, cites=_CHANNELS) for name, params in wrong.items()}
    cited["scale_negative"] = cited["scale_zero"] = Wrong({2: wrong["scale_negative"]}, cites="scale ≤ 0")
    cited["scale_zero"] = Wrong({2: wrong["scale_zero"]}, cites="scale ≤ 0")
    cited["null_scales"] = Wrong({2: wrong["null_scales"]}, cites="null scales")
    other = {"index_negative": -1, "index_beyond": 2, "other_type": 1}
    return {**cited, **{name: Wrong({1: index}, cites="BAD_DATA if wrong type") for name, index in other.items()}}


def _model_with_unknown(base: vocabulary.Base) -> vocabulary.Steps:
    """Return steps that make a model with further operands: a vector, and one whose size is not known."""
    more = (base.operand(), base.operand(0))
    return (
        *vocabulary.with_operands(base),
        *(vocabulary.call("Model_addOperand", "model", operand) for operand in more),
    )


def _list_wrong_values(_: vocabulary.Base) -> dict[str, Wrong]:
    """Return values and lengths that do not fit the operand."""
    return {
        **{name: wrong for name, wrong in _list_wrong_indexes(1).items() if name != "index_beyond"},
        "index_beyond": Wrong({1: 6}, cites=_VALUES),
        "too_long": Wrong({2: bytes(20), 3: 20}, cites=_VALUES),
        "too_short": Wrong({3: len(vocabulary.NO_ACTIVATION) - 1}, cites=_VALUES),
        "no_bytes": Wrong({3: 0}, cites="(NULL) ≠ (0) BAD_DATA"),
        "null_with_length": Wrong({2: None}, vocabulary.NULL, "NULL with length ≠ 0 already UNEXPECTED_NULL"),
        "unknown_dimension": Wrong({1: 5}, cites=_VALUES),
    }


def _model_with_memory(base: vocabulary.Base) -> vocabulary.Steps:
    """Return the steps of :func:`_model_with_unknown`, and those that make a memory object of 20 bytes."""
    return (*_model_with_unknown(base), *vocabulary.shared_memory(bytes(20)))


def _list_wrong_places(_: vocabulary.Base) -> dict[str, Wrong]:
    """Return places in the memory object that do not fit the operand."""
    return {
        **{name: wrong for name, wrong in _list_wrong_indexes(1).items() if name != "index_beyond"},
        "index_beyond": Wrong({1: 6}, cites=_VALUES),
        "too_long": Wrong({4: len(vocabulary.NO_ACTIVATION) + 1}, cites=_MEMORY),
        "too_short": Wrong({4: len(vocabulary.NO_ACTIVATION) - 1}, cites=_MEMORY),
        "offset_beyond": Wrong({3: 21}, cites=_MEMORY),
        "end_beyond": Wrong({3: 21 - len(vocabulary.NO_ACTIVATION)}, cites=_MEMORY),
        "unknown_dimension": Wrong({1: 5}, cites=_VALUES),
    }


def _referring_model(base: vocabulary.Base) -> vocabulary.Steps:
    """Return steps that make three models: one with an operand for another model, a finished one, an unfinished one."""
    return (
        *vocabulary.finished_model(base, "value"),
        *vocabulary.complete_model(base, "unfinished"),
        *vocabulary.open_model(),
        vocabulary.call("Model_addOperand", "model", _MAIN),
    )


def _list_wrong_operations(_: vocabulary.Base) -> dict[str, Wrong]:
    """Return operations with a wrong type, or with wrong numbers or types of operands."""
    return {
        "type_negative": Wrong({1: -1}, cites=_OPERATION),
        "type_unknown": Wrong({1: 9999}, cites=_OPERATION),
        "input_beyond": Wrong({3: NumberArray("uint32_t", (vocabulary.A, 4, vocabulary.ACTIVATION))}, cites=_OPERATION),
        "input_highest": Wrong(
            {3: NumberArray("uint32_t", (vocabulary.A, vocabulary.FAR, vocabulary.ACTIVATION))}, cites=_OPERATION
        ),
        "output_beyond": Wrong({5: NumberArray("uint32_t", (4,))}, cites=_OPERATION),
        "too_few_inputs": Wrong({2: 2}, cites=_OPERATION),
        "too_many_inputs": Wrong(
            {2: 4, 3: NumberArray("uint32_t", (vocabulary.A, vocabulary.B, vocabulary.ACTIVATION, vocabulary.A))},
            cites=_OPERATION,
        ),
        "too_many_outputs": Wrong(
            {4: 2, 5: NumberArray("uint32_t", (vocabulary.SUM, vocabulary.SUM))}, cites=_OPERATION
        ),
        "input_of_other_type": Wrong(
            {3: NumberArray("uint32_t", (vocabulary.A, vocabulary.B, vocabulary.B))}, cites=_OPERATION
        ),
    }


def _model_with_operation(base: vocabulary.Base) -> vocabulary.Steps:
    """Return steps that make a model with its operation, whose inputs and outputs are not listed yet."""
    return (*vocabulary.with_operands(base), vocabulary.call("Model_addOperation", *vocabulary.addition_arguments()))


def _list_wrong_lists(_: vocabulary.Base) -> dict[str, Wrong]:
    """Return lists of inputs and outputs that a model may not have."""
    wrong = {
        "input_beyond": ((vocabulary.A, 4), (vocabulary.SUM,)),
        "output_beyond": ((vocabulary.A, vocabulary.B), (4,)),
        "constant_as_input": ((vocabulary.A, vocabulary.ACTIVATION), (vocabulary.SUM,)),
        "input_twice": ((vocabulary.A, vocabulary.A), (vocabulary.SUM,)),
        "input_as_output": ((vocabulary.A, vocabulary.B), (vocabulary.A,)),
    }
    found = {
        name: Wrong({2: NumberArray("uint32_t", inputs), 4: NumberArray("uint32_t", outputs)}, cites=_IDENTIFIED)
        for name, (inputs, outputs) in wrong.items()
    }
    twice = NumberArray("uint32_t", (vocabulary.SUM, vocabulary.SUM))
    return {**found, "output_twice": Wrong({3: 2, 4: twice}, cites=_IDENTIFIED)}


def _list_wrong_devices(_: vocabulary.Base) -> dict[str, Wrong]:
    """Return lists of devices that are refused."""
    return {
        "no_devices": Wrong({2: 0}, cites=_DEVICES),
        "device_twice": Wrong({1: ObjectPointers("Device", ("device", "device")), 2: 2}, cites=_DEVICES),
        "null_device": Wrong({1: ObjectPointers("Device", (None,))}, vocabulary.NULL, _DEVICES),
    }


def _make_extension_row(what: str) -> CallRow:
    """Return the row of the function that gives an extension's type or operation its code."""
    return CallRow(
        f"Model_getExtension{what}Type",
        5,
        lambda _: vocabulary.open_model(),
        lambda _: ("model", _NAME, 3, WritablePlace("code", "int32_t")),
        "unknown names are also given a prefix",
        nulls={"model": 0, "name": 1, "place": 3},
        needs_device=False,
    )


ROWS: Final = (
    CallRow("Model_create", 1, lambda _: (), lambda _: (New("model"),), nulls={"place": 0}, needs_device=False),
    CallRow(
        "Model_addOperand",
        1,
        vocabulary.complete_model,
        lambda base: ("model", base.operand()),
        nulls={"model": 0, "type": 1},
        wrong=_list_wrong_operands,
        right=_list_unknown_operands,
        early=lambda base: {
            "after_finish": vocabulary.finished_model(base),
            "after_failed_finish": _failed_model(base),
        },
        state_cites=_LATE,
        cites="Unknown rank/dims allowed",
        needs_device=False,
    ),
    CallRow(
        "Model_setOperandSymmPerChannelQuantParams",
        3,
        _channel_model,
        lambda _: ("model", 0, Channels(0, (1.0, 1.0))),
        nulls={"model": 0, "params": 2},
        wrong=_list_wrong_channels,
        early=lambda base: {"after_failed_finish": (*_channel_model(base), _FAILED_FINISH)},
        state_cites=_LATE,
        cites="setOperandSymmPerChannelQuantParams",
        needs_device=False,
    ),
    CallRow(
        "Model_setOperandValue",
        1,
        _model_with_unknown,
        lambda _: ("model", vocabulary.ACTIVATION, vocabulary.NO_ACTIVATION, len(vocabulary.NO_ACTIVATION)),
        nulls={"model": 0},
        wrong=_list_wrong_values,
        right=lambda _: {"omitted": {2: None, 3: 0}},
        early=lambda base: {
            "after_finish": vocabulary.finished_model(base),
            "after_failed_finish": _failed_model(base),
        },
        state_cites=_LATE,
        cites="setOperandValue: NULL + 0 = omitted (NO_VALUE)",
        needs_device=False,
    ),
    CallRow(
        "Model_setOperandValueFromMemory",
        1,
        _model_with_memory,
        lambda _: ("model", vocabulary.ACTIVATION, "memory", 4, len(vocabulary.NO_ACTIVATION)),
        nulls={"model": 0, "memory": 2},
        wrong=_list_wrong_places,
        early=lambda base: {
            "after_finish": (*vocabulary.finished_model(base), *vocabulary.shared_memory(bytes(20))),
        },
        state_cites=_LATE,
        cites=_MEMORY,
        needs_device=False,
    ),
    CallRow(
        "Model_setOperandValueFromModel",
        4,
        _referring_model,
        lambda _: ("model", 0, "value"),
        nulls={"model": 0, "value": 2},
        wrong=lambda _: {
            **{name: Wrong({1: index}, cites=INDEX_CITED) for name, index in {"index_negative": -1}.items()},
            "unfinished_value": Wrong(
                {2: "unfinished"}, vocabulary.BAD_STATE, "value model unfinished or invalid → BAD_STATE"
            ),
        },
        early=lambda base: {"after_failed_finish": (*_referring_model(base), _FAILED_FINISH)},
        state_cites=_LATE,
        cites="value model unfinished or invalid → BAD_STATE",
        needs_device=False,
    ),
    CallRow(
        "Model_addOperation",
        1,
        vocabulary.with_operands,
        lambda _: vocabulary.addition_arguments(),
        nulls={"model": 0, "inputs": 3, "outputs": 5},
        wrong=_list_wrong_operations,
        early=lambda base: {
            "after_finish": vocabulary.finished_model(base),
            "after_failed_finish": _failed_model(base),
        },
        state_cites=_LATE,
        cites=_POINTERS,
        needs_device=False,
    ),
    CallRow(
        "Model_identifyInputsAndOutputs",
        1,
        _model_with_operation,
        lambda _: ("model", 2, vocabulary.INPUTS_OF_MODEL, 1, vocabulary.OUTPUTS),
        nulls={"model": 0, "inputs": 2, "outputs": 4},
        wrong=_list_wrong_lists,
        late=_finish_first,
        state_cites=_LATE,
        cites=_IDENTIFIED,
        needs_device=False,
    ),
    CallRow(
        "Model_relaxComputationFloat32toFloat16",
        2,
        vocabulary.complete_model,
        lambda _: ("model", True),
        nulls={"model": 0},
        right=lambda _: {"not": {1: False}},
        late=_finish_first,
        state_cites=_LATE,
        cites="relaxComputationFloat32toFloat16",
        needs_device=False,
    ),
    CallRow(
        "Model_finish",
        1,
        vocabulary.complete_model,
        lambda _: ("model",),
        nulls={"model": 0},
        late=lambda _: {"twice": ()},
        early=lambda base: {"after_failed_finish": _failed_model(base)},
        state_cites="finish: second call BAD_STATE",
        cites="finish: second call BAD_STATE",
        needs_device=False,
    ),
    CallRow(
        "Model_getSupportedOperationsForDevices",
        3,
        vocabulary.finished_model,
        lambda _: ("model", vocabulary.DEVICES, 1, WritablePlace("supported", "bool")),
        _DEVICES,
        nulls={"model": 0, "devices": 1, "place": 3},
        wrong=_list_wrong_devices,
        early=lambda base: {"unfinished": vocabulary.complete_model(base), "failed": _failed_model(base)},
        needs_device=False,
    ),
    CallRow(
        "Model_setOperandExtensionData",
        5,
        lambda base: (
            *vocabulary.open_model(),
            vocabulary.call("Model_getExtensionOperandType", "model", _NAME, 0, WritablePlace("code", "int32_t")),
            vocabulary.call("Model_addOperand", "model", base.operand()),
        ),
        lambda _: ("model", 0, b"data", 4),
        _DATA,
        codes=vocabulary.BAD_DATA,
        nulls={"model": 0},
        wrong=lambda _: {
            "index_negative": Wrong({1: -1}, cites=INDEX_CITED),
            "index_beyond": Wrong({1: 9}),
            "null_with_length": Wrong({2: None}, vocabulary.REFUSED),
        },
        needs_device=False,
    ),
    *map(_make_extension_row, ("Operand", "Operation")),
)
"""The table of single functions."""


def _build_wrong_graph(
    base: vocabulary.Base, operations: tuple[tuple[int, int], ...], outputs: int = 1
) -> vocabulary.Steps:
    """Return steps that make a model that cannot be finished, of operations on vectors, ``(read, written)``.

    Operand 0 is its input, the last one its output.
    """
    count = 1 + max(index for pair in operations for index in pair)
    vectors = (vocabulary.call("Model_addOperand", "model", base.operand()) for _ in range(count + outputs - 1))
    relu = int(OperationType.RELU)
    added = (
        vocabulary.call(
            "Model_addOperation",
            "model",
            relu,
            1,
            NumberArray("uint32_t", (read,)),
            1,
            NumberArray("uint32_t", (written,)),
        )
        for read, written in operations
    )
    first, last = NumberArray("uint32_t", (0,)), NumberArray("uint32_t", (count - 1,))
    return (
        *vocabulary.open_model(),
        *vectors,
        *added,
        vocabulary.call("Model_identifyInputsAndOutputs", "model", 1, first, 1, last),
    )


_CYCLES: Final = "cycles/never written BAD_DATA; full validation BAD_DATA"


def _fail_to_finish(steps: vocabulary.Steps) -> tuple[int, vocabulary.Steps]:
    """Return the level and the steps of a case in which a model cannot be finished."""
    return 1, (*steps, vocabulary.call("Model_finish", "model", codes=vocabulary.BAD_DATA, cites=_CYCLES))


def sequences(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return further sequences by the names of their cases, each with the feature level that it needs."""
    unsorted = _build_wrong_graph(base, ((1, 2), (0, 1)))
    return {
        "Model_free/null": (1, (vocabulary.call("Model_free", None, codes=(), cites="`*_free(NULL)` allowed"),)),
        "Model_finish/empty": _fail_to_finish(vocabulary.open_model()),
        "Model_finish/cycle": _fail_to_finish(_build_wrong_graph(base, ((2, 1), (1, 2)))),
        "Model_finish/never_written": _fail_to_finish(_build_wrong_graph(base, ((1, 2),))),
        "Model_finish/neither_read_nor_written": _fail_to_finish(_build_wrong_graph(base, ((0, 1),), outputs=2)),
        "Model_finish/written_twice": _fail_to_finish(_build_wrong_graph(base, ((0, 1), (0, 1)))),
        "Model_finish/read_before_written": (
            1,
            (*unsorted, vocabulary.call("Model_finish", "model", cites="operations may be added in any order")),
        ),
        "Model_setOperandValue/oem_scalar": (
            1,
            (
                *vocabulary.open_model(),
                vocabulary.call("Model_addOperand", "model", OperandTypeData(OperandType.OEM), cites=_OEM),
                vocabulary.call("Model_setOperandValue", "model", 0, bytes(20), 20, cites=_OEM),
            ),
        ),
        "Model_setOperandValue/twice": (
            1,
            (
                *_model_with_unknown(base),
                *(
                    vocabulary.call(
                        "Model_setOperandValue", "model", 4, value, base.size, cites="Setting a value twice is accepted"
                    )
                    for value in (base.first, base.second)
                ),
            ),
        ),
    }
