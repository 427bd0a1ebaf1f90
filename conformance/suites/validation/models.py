"""Checks of ``TestValidation`` about models: wrong copies of a small sum, which must be refused, and valid models.

The tables :data:`_MODEL`, :data:`_IDENTIFY` and :data:`_EXTENSIONS` list the wrong copies by the names of CTS's tests;
a function such as :func:`_change_operands` yields them. Requests are in
:mod:`nnvet.conformance.suites.validation.requests`, operations in ``operations.py`` beside it. Source:
docs/contract/cts-tests.md 4.1 and the arguments of preparations in 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import basic_config
from nnvet.conformance.kit.handmade import check_test
from nnvet.conformance.kit.invalid_requests import REFUSED_MODELS, try_mutants, try_preparation
from nnvet.conformance.kit.notified import Ledger, check_passed_on
from nnvet.conformance.kit.outcome import unsupported
from nnvet.conformance.kit.preparing import ask_supported, built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.mutations.editing import Mutant
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import with_operand, with_operations
from nnvet.graphs.hal_model import create_pool
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.enums import EXTENSION_TYPE_LOW_BITS_TYPE, ExecutionPreference, FeatureLevel, OperandLifeTime, Priority
from nnvet.hal.memory import close

SUITE: Final = "TestValidation"
"""Name of the suite, as in CTS; ``requests.py`` and the checks of extensions have further parts of it."""
_FLOAT, _QUANT8, _INT32 = hal.OperandType.TENSOR_FLOAT32, hal.OperandType.TENSOR_QUANT8_ASYMM, hal.OperandType.INT32
_HUGE: Final = (5, 4, 4, 786433, 5, 3, 16777216, 4, 5)
"""Dimensions whose product exceeds 32 bits."""
_EXTENSION: Final = hal.ExtensionNameAndPrefix("nnvet.unknown", 0x7FFE)
"""An extension that no driver knows."""
_PICTURE_FORMAT: Final = 1
"""A format of hardware buffers other than BLOB: four bytes for each pixel."""

Changes = Iterator[tuple[str, hal.Model]]
"""Wrong models, each with a description."""


@dataclass(frozen=True)
class InvalidModels:
    """Wrong copies of a valid model; ``level`` is the first feature level that has all its parts.

    ``build`` makes the valid model, and ``broken`` its wrong copies.
    """

    broken: Callable[[hal.Model], Changes]
    build: Callable[[], TestModel]
    level: int = 1


def sum_of_inputs(kind: hal.OperandType = _FLOAT) -> TestModel:
    """Return the base model of CTS: ADD of two inputs, whose activation is an input, too."""
    graph, scale = GraphBuilder(), 0.5 if kind is _QUANT8 else 0.0
    inputs = (
        graph.input(kind, (2,), [1, 2], scale),
        graph.input(kind, (2,), [30, 40], scale),
        graph.input(_INT32, (), [0]),
    )
    graph.operation(hal.OperationType.ADD, inputs, graph.output(kind, (2,), [31, 42], scale))
    return graph.finish("sum_of_inputs")


def _build_sum_of_quant8() -> TestModel:
    """Return the base model in 8-bit codes."""
    return sum_of_inputs(_QUANT8)


def _build_softmax() -> TestModel:
    """Return SOFTMAX with a constant scalar beta; equal inputs give equal shares."""
    graph = GraphBuilder()
    inputs = (graph.input(_FLOAT, (1, 2), [1, 1]), graph.scalar(hal.OperandType.FLOAT32, 1.0))
    graph.operation(hal.OperationType.SOFTMAX, inputs, graph.output(_FLOAT, (1, 2), [0.5, 0.5]))
    return graph.finish("softmax")


def _build_sum_with_shared() -> TestModel:
    """Return ADD of an input and of a constant of 8 bytes in a pool."""
    graph = GraphBuilder()
    inputs = (graph.input(_FLOAT, (2,), [1, 2]), graph.shared(_FLOAT, (2,), [3, 4]), graph.scalar(_INT32, 0))
    graph.operation(hal.OperationType.ADD, inputs, graph.output(_FLOAT, (2,), [4, 6]))
    return graph.finish("sum_with_shared")


def _build_transposition() -> TestModel:
    """Return TRANSPOSE without a permutation, so that the dimensions are reversed."""
    graph = GraphBuilder()
    inputs = (graph.input(_FLOAT, (2, 3), range(6)), graph.constant(hal.OperandType.TENSOR_INT32, (0,), None))
    graph.operation(hal.OperationType.TRANSPOSE, inputs, graph.output(_FLOAT, (3, 2), [0, 3, 1, 4, 2, 5]))
    return graph.finish("transposition", FeatureLevel.FL2)


def _build_dequantization() -> TestModel:
    """Return DEQUANTIZE with one scale for each of two channels."""
    graph = GraphBuilder()
    codes = graph.input_by_channel((2,), [3, -3], hal.SymmPerChannelQuantParams((0.5, 2.0), 0))
    graph.operation(hal.OperationType.DEQUANTIZE, (codes,), graph.output(_FLOAT, (2,), [1.5, -6]))
    return graph.finish("dequantization", FeatureLevel.FL3)


def _change_operand(model: hal.Model, index: int, **changes: Any) -> hal.Model:
    """Return the model with one operand of its main subgraph changed."""
    operand = replace(model.main.operands[index], **changes)
    return replace(model, main=with_operand(model.main, index, operand))


def _change_operands(model: hal.Model) -> Changes:
    """Yield operands with an impossible scale, zero point or dimension."""
    yield "the scale is -1", _change_operand(model, 0, scale=-1.0)
    yield "the zero point is -1", _change_operand(model, 0, zero_point=-1)
    yield "the INT32 has a dimension", _change_operand(model, 2, dimensions=(1,))


def _lengthen_value(model: hal.Model) -> Changes:
    """Yield a scalar whose value has too many bytes."""
    values = model.operand_values + bytes(20)
    location = replace(model.main.operands[1].location, length=20)
    yield "the FLOAT32 has 20 bytes", _change_operand(replace(model, operand_values=values), 1, location=location)


def _leave_memory(model: hal.Model) -> Changes:
    """Yield constants that lie outside of their memory, or whose length is not that of the operand."""
    size = 20
    with _open_pool(size) as memory:
        in_pool = replace(model, pools=(memory,))
        yield "the constant has 4 bytes less", _change_operand(in_pool, 1, location=hal.DataLocation(0, 0, 4))
        yield "the constant has 4 bytes more", _change_operand(in_pool, 1, location=hal.DataLocation(0, 0, 12))
        yield (
            "the constant begins behind the memory",
            _change_operand(in_pool, 1, location=hal.DataLocation(0, size + 1, 8)),
        )
        yield (
            "the constant ends behind the memory",
            _change_operand(in_pool, 1, location=hal.DataLocation(0, size - 7, 8)),
        )


def _leave_hardware_buffer(model: hal.Model) -> Changes:
    """Yield the same as :func:`_leave_memory` in a BLOB hardware buffer."""
    for what, broken in _leave_memory(model):
        memory = broken.pools[0]
        yield what, replace(broken, pools=(hal.HardwareBuffer(memory.handle, 20),))


def _use_picture(model: hal.Model) -> Changes:
    """Yield a constant in a hardware buffer that holds a picture."""
    with _open_pool(64) as memory:
        picture = hal.HardwareBuffer(memory.handle, 4, 4, format=_PICTURE_FORMAT)
        yield (
            "the constant is in a picture",
            _change_operand(replace(model, pools=(picture,)), 1, location=hal.DataLocation(0, 0, 8)),
        )


@contextmanager
def _open_pool(size: int) -> Iterator[hal.Memory]:
    """Open shared memory of ``size`` bytes for as long as the block runs."""
    pool = create_pool(size, ())
    try:
        yield pool
    finally:
        close(pool)


def _use_unknown_operation(model: hal.Model) -> Changes:
    """Yield an operation whose number does not exist."""
    operation = replace(model.main.operations[0], type=-1)
    yield "the operation is number -1", replace(model, main=replace(model.main, operations=(operation,)))


def _make_empty(_model: hal.Model) -> Changes:
    """Yield a model without operands and operations."""
    yield "the model has nothing in it", hal.Model(hal.Subgraph((), (), (), ()))


def _omit_write(model: hal.Model) -> Changes:
    """Yield a model with an operand that is read, but never written."""
    changed = _change_operand(model, 0, lifetime=OperandLifeTime.TEMPORARY_VARIABLE)
    yield "nobody writes operand 0", replace(changed, main=replace(changed.main, input_indexes=(1, 2)))


def _add_unwritten(model: hal.Model) -> Changes:
    """Yield a model with an operand that is neither read nor written."""
    counted = model.main.operands[0].number_of_consumers is not None
    extra = hal.Operand(_FLOAT, (2,), number_of_consumers=0 if counted else None)
    operands = (*model.main.operands, extra)
    yield "nobody reads or writes the last operand", replace(model, main=replace(model.main, operands=operands))


def _write_twice(model: hal.Model) -> Changes:
    """Yield a model with an operand that two operations write."""
    (add,) = model.main.operations
    swapped = hal.Operation(add.type, (add.inputs[1], add.inputs[0], add.inputs[2]), add.outputs)
    yield "two operations write one operand", replace(model, main=with_operations(model.main, (add, swapped)))


def _overflow_dimensions(model: hal.Model) -> Changes:
    """Yield an operand whose size exceeds 32 bits."""
    yield f"dimensions are {_HUGE}", _change_operand(model, 0, dimensions=_HUGE)


def _change_lists(**lists: Any) -> Callable[[hal.Model], Changes]:
    """Return a function that yields a model with other lists of inputs or outputs; operands keep their lifetimes."""

    def changes(model: hal.Model) -> Changes:
        what = " and ".join(f"{name} are {list(indexes)}" for name, indexes in lists.items())
        yield what, replace(model, main=replace(model.main, **lists))

    return changes


def _use_unknown_prefix(model: hal.Model) -> Changes:
    """Yield an operand whose type is of an extension that the model does not name."""
    yield "the type is -1", _change_operand(model, 0, type=-1)


def _add_channels_to_extension(model: hal.Model) -> Changes:
    """Yield an operand of an extension with per-channel scales, which belong to another type."""
    params = hal.SymmPerChannelQuantParams((1.0, 1.0), 0)
    code = _EXTENSION.prefix << EXTENSION_TYPE_LOW_BITS_TYPE | 1
    named = replace(model, extension_name_to_prefix=(_EXTENSION,))
    yield "an operand of an extension has channel scales", _change_operand(named, 0, type=code, extra_params=params)


def _add_data_without_extension(model: hal.Model) -> Changes:
    """Yield an operand with data of an extension, although its type is of none."""
    yield (
        "a float operand has data of an extension",
        _change_operand(model, 0, extra_params=hal.ExtensionParams(b"data")),
    )


def _repeat_extension(model: hal.Model) -> Changes:
    """Yield models that name one extension, or use one prefix, twice."""
    for what, second in (
        ("one extension has two prefixes", hal.ExtensionNameAndPrefix(_EXTENSION.name, _EXTENSION.prefix - 1)),
        ("two extensions have one prefix", hal.ExtensionNameAndPrefix("nnvet.other", _EXTENSION.prefix)),
    ):
        yield what, replace(model, extension_name_to_prefix=(_EXTENSION, second))


_MODEL: Final = {
    "AddOperand": InvalidModels(_change_operands, _build_sum_of_quant8),
    "SetOperandValue": InvalidModels(_lengthen_value, _build_softmax),
    "SetOperandValueFromMemory": InvalidModels(_leave_memory, _build_sum_with_shared),
    "SetOperandValueFromAHardwareBuffer": InvalidModels(_use_picture, _build_sum_with_shared, 3),
    "SetOperandValueFromAHardwareBufferBlob": InvalidModels(_leave_hardware_buffer, _build_sum_with_shared, 3),
    "AddOperation": InvalidModels(_use_unknown_operation, sum_of_inputs),
    "EmptyModel": InvalidModels(_make_empty, sum_of_inputs),
    "MissingWrite": InvalidModels(_omit_write, sum_of_inputs),
    "UnwrittenOperand": InvalidModels(_add_unwritten, sum_of_inputs),
    "MultipleWrite": InvalidModels(_write_twice, sum_of_inputs),
    "AddOperandDimensionProductOverflow": InvalidModels(_overflow_dimensions, sum_of_inputs),
}
"""Wrong models, by the names of CTS's tests."""
_IDENTIFY: Final = {
    "InputIsOutput": InvalidModels(_change_lists(output_indexes=(3, 0)), sum_of_inputs),
    "OutputIsInput": InvalidModels(_change_lists(input_indexes=(0, 1, 2, 3)), sum_of_inputs),
    "DuplicateInputs": InvalidModels(_change_lists(input_indexes=(0, 1, 2, 0)), sum_of_inputs),
    "DuplicateOutputs": InvalidModels(_change_lists(output_indexes=(3, 3)), sum_of_inputs),
}
"""Models with wrong lists of inputs and outputs."""
_EXTENSIONS: Final = {
    "AddOperand_UnknownPrefix": InvalidModels(_use_unknown_prefix, sum_of_inputs, 3),
    "SetOperandSymmPerChannelQuantParams_ExtensionOperand": InvalidModels(_add_channels_to_extension, sum_of_inputs, 3),
    "SetOperandExtensionData_NonExtensionOperand": InvalidModels(_add_data_without_extension, sum_of_inputs, 3),
    # CTS lacks this, because there the runtime chooses the prefixes.
    "NamesAndPrefixesAreUnique": InvalidModels(_repeat_extension, sum_of_inputs, 3),
}
"""Wrong models with parts of extensions."""
_VALID: Final = {
    "Model/SetOptionalOperand": _build_transposition,
    "Model/SetOperandSymmPerChannelQuantParams": _build_dequantization,
    "Identify/Ok": sum_of_inputs,
}
"""Valid models with an omitted part."""
_BROKEN_RULES: Final = ("model/*", *REFUSED_MODELS)
"""Rules of models, and those that accepting a wrong model breaks."""


@check(SUITE, "Model", rules=_BROKEN_RULES, parameters=lambda: _MODEL)
@check(SUITE, "Identify", rules=_BROKEN_RULES, parameters=lambda: _IDENTIFY)
@check(SUITE, "ModelExtensions", rules=_BROKEN_RULES, parameters=lambda: _EXTENSIONS)
def broken(subject: Subject, invalid: InvalidModels) -> None:
    """Every wrong copy of a model is refused."""
    if subject.feature_level < invalid.level:
        raise unsupported(
            f"begins at feature level {invalid.level}, the driver has {subject.feature_level}", "model/level"
        )
    with built_model(invalid.build(), subject.feature_level) as model:
        prepare_valid(subject, model)
        try_mutants(subject, (("", Mutant(what, changed)) for what, changed in invalid.broken(model)))


@check(SUITE, "Valid", rules=("prepare/valid", "execution/output.value"), parameters=lambda: _VALID)
def valid(subject: Subject, build: Callable[[], TestModel]) -> None:
    """A valid model with an omitted optional part, or just within a limit, is accepted and computed."""
    check_test(subject, build(), basic_config(subject))


@check(SUITE, "ModelExtensions/SetOperandExtensionData_Empty", rules=("prepare/valid",), level=3, needs_operation=False)
def empty_extension_data(subject: Subject, _: None) -> None:
    """A model with an operand of an unknown extension with empty data is valid, but its operation is unsupported."""
    code = _EXTENSION.prefix << EXTENSION_TYPE_LOW_BITS_TYPE | 1
    with built_model(sum_of_inputs(), subject.feature_level) as model:
        operands = tuple(
            replace(operand, type=code, extra_params=hal.ExtensionParams(b"")) for operand in model.main.operands
        )
        operations = tuple(replace(operation, type=code) for operation in model.main.operations)
        main = replace(model.main, operands=operands, operations=operations)
        ask_supported(subject, replace(model, main=main, extension_name_to_prefix=(_EXTENSION,)))


_CONFIGS: Final = {
    "SetPreference": ("preference", (40, -1, len(ExecutionPreference)), 2),
    "SetPriority": ("priority", (-1, len(Priority), 100), 4),
}
"""Arguments of preparation, each with invalid values (CTS has 40 and the NDK's neighbouring priorities) and a level."""


@check(
    SUITE, "Compilation", rules=("prepare/preference", "prepare/priority", *REFUSED_MODELS), parameters=lambda: _CONFIGS
)
def wrong_config(subject: Subject, invalid: tuple[str, tuple[int, ...], int]) -> None:
    """An unknown preference or priority is refused."""
    field, values, level = invalid
    if subject.feature_level < level:
        raise unsupported(f"begins at feature level {level}, the driver has {subject.feature_level}", "model/level")
    ledger = Ledger(subject, "prepare")
    with built_model(sum_of_inputs(), subject.feature_level) as model:
        prepare_valid(subject, model)
        passed_on = []
        for value in values:
            changed: dict[str, Any] = {field: value}
            config = hal.PrepareModelConfig(**changed)
            what, rule = f"{field} {value}", f"prepare/{field}"
            passed_on.append(try_preparation(subject, ledger, model, config, what, rule))
        ledger.settle()
        check_passed_on(passed_on)
