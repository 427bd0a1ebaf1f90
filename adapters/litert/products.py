"""Rows of the table of LiteRT for convolutions, pooling, products of matrices and recurrent operations.

Where LiteRT has a kernel for signed or unsigned codes only, the other ones are converted. Recurrent operations become
TFLite operators whose states are variable tensors. The driver ``litert`` writes and reads these, since its clients pass
the states in and out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.litert.forms import LiteRtClaim, image_input, image_output, reshape
from nnvet.adapters.runtimes.claims import BOTH_BYTES, FLOATS, INTEGER, SIGNED, UNSIGNED, Condition, Graph
from nnvet.formats.tflite.schema import Activation, Padding
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.convolution import image, transposed_geometry, windows
from nnvet.hal.operations.declaration import Argument, Call, copy_of
from nnvet.hal.operations.shapes import Window, implicit_window
from nnvet.hal.types import OperandLifeTime

_SHIFT: Final = {UNSIGNED: 128, SIGNED: -128}
"""Difference of the codes of the signed and the unsigned type."""


def in_fitting_codes(weights: str, emit: Callable[[Emitter, Call], None]) -> Callable[[Emitter, Call], None]:
    """Return ``emit`` changed to work in the codes for which LiteRT has a kernel, depending on the operand ``weights``.

    Signed weights must have zero point 0, and unsigned ones need not. Weights with a scale for each channel are only
    combined with signed codes.
    """

    def recoded(emitter: Emitter, call: Call) -> None:
        kind = _fitting(call, weights)
        if kind == call["input"].type:
            emit(emitter, call)
            return
        inputs = dict(call.inputs)
        for name in ("input", weights):
            if inputs[name].type in BOTH_BYTES:
                inputs[name] = _read_as(emitter, inputs[name], kind)
        result = _twin(call.output, kind)
        emitter.adopt(result)
        emit(emitter, replace(call, inputs=inputs, outputs=[result]))
        emitter.add("QUANTIZE", [emitter.stored(result)], emitter.target(call.output))

    return recoded


def _fitting(call: Call, weights: str) -> OperandType:
    source, factors = call["input"], call[weights]
    if factors.type == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return SIGNED
    return UNSIGNED if factors.type == SIGNED and factors.zero_point else OperandType(source.type)


def _read_as(emitter: Emitter, argument: Argument, kind: OperandType) -> Argument:
    twin = _twin(argument, kind)
    emitter.adopt(twin)
    if not twin.constant:
        emitter.add("QUANTIZE", [emitter.source(argument)], emitter.stored(twin))
    return twin


def _twin(argument: Argument, kind: OperandType) -> Argument:
    """Return the operand as an operand of type ``kind``, with its codes and zero point shifted to match."""
    twin = copy_of(argument)
    twin.type, twin.zero_point = kind, argument.zero_point + _SHIFT[kind]
    if argument.constant:
        twin.value = (argument.array.astype(np.int16) + _SHIFT[kind]).astype(twin.dtype)
    return twin


_O = OperationType
_HAL_CODES: Final = (1, 2)
"""The HAL's codes of the padding schemes SAME and VALID."""


def _scheme(axes: tuple[Window, Window]) -> int | None:
    """Return TFLite's padding scheme for these windows; None if neither scheme fits."""
    for scheme, code in zip((Padding.VALID, Padding.SAME), reversed(_HAL_CODES), strict=True):
        if all(implicit_window(axis.size, axis.filter, axis.stride, axis.dilation, code) == axis for axis in axes):
            return scheme
    return None


def _strides(call: Call) -> dict[str, int]:
    return {"stride_w": call.scalar("stride_width"), "stride_h": call.scalar("stride_height")}


def _dilations(call: Call) -> dict[str, int]:
    return {f"dilation_{axis[0]}_factor": call.scalar(f"dilation_{axis}", 1) for axis in ("width", "height")}


def _convolution(name: str) -> Callable[[Emitter, Call], None]:
    """Return the function that emits a convolution; an operator before it does a padding that is not SAME or VALID."""

    def emit(emitter: Emitter, call: Call) -> None:
        axes = windows(call)
        source, padding = image_input(emitter, call), _scheme(axes)
        if padding is None:
            source, padding = _padded(emitter, call, source, axes), Padding.VALID
        options = {"padding": padding, "activation": call.scalar("activation"), **_strides(call), **_dilations(call)}
        if name == "DEPTHWISE_CONV_2D":
            options["depth_multiplier"] = call.scalar("depth_multiplier")
        inputs = [source, emitter.source(call["filter"]), emitter.source(call["bias"])]
        image_output(emitter, call, lambda target: emitter.add(name, inputs, target, **options))

    return emit


def _padded(emitter: Emitter, call: Call, source: int, axes: tuple[Window, Window]) -> int:
    """Return the images with a border of zeros."""
    n, _, _, c = image(call)
    (top, bottom), (left, right) = ((axis.head, axis.tail) for axis in axes)
    sizes = [axis.size + axis.head + axis.tail for axis in axes]
    target = emitter.between(call["input"], (n, *sizes, c))
    emitter.add("PAD", [source, emitter.constant([[0, 0], [top, bottom], [left, right], [0, 0]])], target)
    return target


def _pool(name: str) -> Callable[[Emitter, Call], None]:
    def emit(emitter: Emitter, call: Call) -> None:
        source = image_input(emitter, call)
        sizes = {f"filter_{axis}": call.scalar(f"filter_{axis}") for axis in ("width", "height")}
        options = {
            "padding": _scheme(windows(call)),
            "activation": call.scalar("activation"),
            **_strides(call),
            **sizes,
        }
        image_output(emitter, call, lambda target: emitter.add(name, [source], target, **options))

    return emit


def _transposed_scheme(call: Call) -> int | None:
    """Return TFLite's padding scheme with the same head paddings of a transposed convolution; None if neither fits."""
    _, height, width, _ = image(call)
    strides = (call.scalar("stride_height"), call.scalar("stride_width"))
    axes = list(zip((height, width), call["filter"].dimensions[1:3], strides, transposed_geometry(call), strict=True))
    for scheme, code in zip((Padding.VALID, Padding.SAME), reversed(_HAL_CODES), strict=True):
        forward = [
            (implicit_window(out, cells, stride, 1, code), size, head) for size, cells, stride, (head, out) in axes
        ]
        if all((window.out, max(window.head, 0)) == (size, head) for window, size, head in forward):
            return scheme
    return None


def _transpose_conv(emitter: Emitter, call: Call) -> None:
    n, _, _, _ = image(call)
    (_, height), (_, width) = transposed_geometry(call)
    shape = emitter.constant([n, height, width, call["filter"].dimensions[0]])
    inputs = [shape, emitter.source(call["filter"]), image_input(emitter, call), emitter.source(call["bias"])]
    options = {"padding": _transposed_scheme(call), "activation": call.scalar("activation"), **_strides(call)}
    image_output(emitter, call, lambda target: emitter.add("TRANSPOSE_CONV", inputs, target, version=4, **options))


def _fully_connected(emitter: Emitter, call: Call) -> None:
    argument, size = call["input"], call["weights"].dimensions[1]
    source, flat = emitter.source(argument), (math.prod(argument.dimensions) // size, size)
    if argument.dimensions != flat:
        vectors = emitter.between(argument, flat)
        reshape(emitter, source, vectors, flat)
        source = vectors
    inputs = [source, emitter.source(call["weights"]), emitter.source(call["bias"])]
    emitter.add("FULLY_CONNECTED", inputs, emitter.target(call.output), activation=call.scalar("activation"))


def _batch_matmul(emitter: Emitter, call: Call) -> None:
    options = {name: call.scalar(name) for name in ("adj_x", "adj_y")}
    inputs = [emitter.source(call["x"]), emitter.source(call["y"])]
    emitter.add("BATCH_MATMUL", inputs, emitter.target(call.output), **options)


_CODES_OF_FILTERS: Final = (
    "{}; PAD for other paddings, TRANSPOSE for NCHW, QUANTIZE for filters of other codes than LiteRT takes"
)
_IMPLICIT: Final = Condition(
    "the padding is implicit, or is SAME or VALID in other words: windows of LiteRT's have no other",
    lambda call: "padding" in call.inputs or (0 not in call["input"].dimensions and _scheme(windows(call)) is not None),
)
_TRANSPOSED: Final = Condition(
    "shapes are known, and the paddings are those of SAME or VALID",
    lambda call: (
        0 not in (*call["input"].dimensions, *call["filter"].dimensions) and _transposed_scheme(call) is not None
    ),
)
_IMAGES: Final = (*FLOATS, UNSIGNED, SIGNED)


_STATE: Final = "state_in"
_NORM: Final = "layer_norm_weights"
_OPTIONS: Final = {"projection_clip": "proj_clip"}
"""Parameters with another name in TFLite."""
_ONE_BY_ONE: Final = (Activation.RELU, Activation.RELU6, Activation.TANH)
RESULTS: Final[Mapping[OperationType, int]] = {
    _O.LSTM: 3,
    _O.RNN: 1,
    _O.SVDF: 1,
    _O.UNIDIRECTIONAL_SEQUENCE_LSTM: 0,
    _O.UNIDIRECTIONAL_SEQUENCE_RNN: 0,
    _O.BIDIRECTIONAL_SEQUENCE_LSTM: 0,
    _O.BIDIRECTIONAL_SEQUENCE_RNN: 0,
}
"""Position of the first output that is neither state nor scratch."""
_CONSTANTS: Final = (OperandLifeTime.CONSTANT_COPY, OperandLifeTime.CONSTANT_REFERENCE)


def state_inputs(call: Call) -> list[int]:
    """Return positions of the states among the inputs of a recurrent operation."""
    return [index for index, formal in enumerate(call.signature.inputs) if formal.name.endswith(_STATE)]


def state_outputs(call: Call) -> list[int]:
    """Return positions of the states among the outputs, in the order of the inputs; none if there are no such outputs.

    The states are before the first result, or after the last one.
    """
    end, count = RESULTS[OperationType(call.declaration.type)] or len(call.outputs), len(state_inputs(call))
    return list(range(end - count, end)) if len(call.outputs) > count else []


def foreign_state(graph: Graph, place: int, *, with_constants: bool = True) -> str:
    """Return a reason why a state of the operation cannot be kept in a variable tensor; empty if there is none.

    A state has to be an input of the model that no other operation reads.

    With ``with_constants``, constant states are allowed, too.
    """
    main, call = graph.subgraph, graph.calls[place]
    if call is None or call.declaration.type not in RESULTS:
        return ""
    operation, read = main.operations[place], Counter(index for step in main.operations for index in step.inputs)
    for operand in (operation.inputs[position] for position in state_inputs(call)):
        lifetime = main.operands[operand].lifetime
        if with_constants and lifetime in _CONSTANTS:
            continue
        if lifetime != OperandLifeTime.SUBGRAPH_INPUT or read[operand] > 1:
            return f"its state, operand {operand}, is no input of the model of its own"
    for position in set(range(len(operation.outputs))) - set(results(call)):
        if read[operation.outputs[position]]:
            return f"another operation reads its state, operand {operation.outputs[position]}"
    return ""


def results(call: Call) -> list[int]:
    """Return the positions of the outputs that a file has; merged outputs have no backward one."""
    first = RESULTS[OperationType(call.declaration.type)]
    return [first, first + 1] if "merge_outputs" in call.inputs and not call.scalar("merge_outputs") else [first]


def _recurrent(emitter: Emitter, call: Call) -> None:
    inputs, options = [], dict[str, object]()
    norms = any(name.endswith(_NORM) and not given.omitted for name, given in call.inputs.items())
    after = iter([call.outputs[position] for position in state_outputs(call)])
    for formal in call.signature.inputs:
        argument = call.inputs.get(formal.name)
        if argument is not None and not type_info(argument.type).is_tensor:
            options[_OPTIONS.get(formal.name, formal.name)] = call.scalar(formal.name)
        elif formal.name.endswith(_STATE) and argument is not None:
            inputs.append(emitter.variable(argument, next(after, None)))
        elif norms or not formal.name.endswith(_NORM):
            inputs.append(-1 if argument is None or argument.omitted else emitter.source(argument))
    kept = results(call)
    for index, output in enumerate(call.outputs):
        if index not in kept:
            emitter.leave_out(output)
    emitter.add(
        OperationType(call.declaration.type).name, inputs, [emitter.target(call.outputs[i]) for i in kept], **options
    )


def _activations(codes: tuple[int, ...]) -> Condition:
    names = ", ".join(Activation(code).name for code in codes)
    return Condition(f"the activation is one of {names}", lambda call: call.scalar("activation") in codes)


def _without_norms(call: Call) -> bool:
    return all(argument.omitted for name, argument in call.inputs.items() if name.endswith(_NORM))


def _is_parallel(call: Call) -> bool:
    """Return True if the backward cell reads the auxiliary input, and no cell both inputs."""
    weights = next(name for name in call.inputs if name.startswith("fw_aux"))
    return not call["aux_input"].omitted and call[weights].omitted


def _is_narrow(call: Call) -> bool:
    """Return True if no projection is wider than the cell: with a wider one, LiteRT writes beyond its own buffer."""
    projections = (given for name, given in call.inputs.items() if name.endswith("projection_weights"))
    return all(given.omitted or given.dimensions[0] <= given.dimensions[1] for given in projections)


def _claim(operation: OperationType, *conditions: Condition) -> LiteRtClaim:
    return LiteRtClaim(
        operation,
        f"{operation.name}; states are variable tensors",
        (OperandType.TENSOR_FLOAT32,),
        _recurrent,
        conditions,
        {OperandType.TENSOR_FLOAT16: "LiteRT computes no recurrent operation in float16"},
    )


_LSTMS: Final = _activations(_ONE_BY_ONE)
_NARROW: Final = Condition(
    "no projection is wider than the cell: else LiteRT writes beyond a buffer of its own", _is_narrow
)
_RNNS: Final = _activations((Activation.NONE, *_ONE_BY_ONE))


CLAIMS: Final[tuple[LiteRtClaim, ...]] = (
    LiteRtClaim(
        _O.CONV_2D,
        _CODES_OF_FILTERS.format("CONV_2D"),
        _IMAGES,
        in_fitting_codes("filter", _convolution("CONV_2D")),
    ),
    LiteRtClaim(
        _O.DEPTHWISE_CONV_2D,
        _CODES_OF_FILTERS.format("DEPTHWISE_CONV_2D"),
        _IMAGES,
        in_fitting_codes("filter", _convolution("DEPTHWISE_CONV_2D")),
    ),
    LiteRtClaim(
        _O.GROUPED_CONV_2D,
        _CODES_OF_FILTERS.format("CONV_2D"),
        _IMAGES,
        in_fitting_codes("filter", _convolution("CONV_2D")),
    ),
    LiteRtClaim(
        _O.TRANSPOSE_CONV_2D,
        "TRANSPOSE_CONV; TRANSPOSE for NCHW, QUANTIZE for filters of other codes than LiteRT takes",
        _IMAGES,
        in_fitting_codes("filter", _transpose_conv),
        (_TRANSPOSED,),
    ),
    *(
        LiteRtClaim(OperationType[name], f"{name}; TRANSPOSE for NCHW", types, _pool(name), (_IMPLICIT,))
        for name, types in (("AVERAGE_POOL_2D", _IMAGES), ("MAX_POOL_2D", _IMAGES), ("L2_POOL_2D", FLOATS))
    ),
    LiteRtClaim(
        _O.FULLY_CONNECTED,
        "FULLY_CONNECTED; RESHAPE to a matrix, QUANTIZE for signed weights whose zero point is not 0",
        (*FLOATS, *BOTH_BYTES),
        in_fitting_codes("weights", _fully_connected),
    ),
    LiteRtClaim(
        _O.BATCH_MATMUL,
        "BATCH_MATMUL",
        (*FLOATS, SIGNED),
        _batch_matmul,
        (),
        {INTEGER: "LiteRT has no kernel for integers"},
    ),
)
RECURRENT: Final = (
    _claim(_O.LSTM, _LSTMS, _NARROW),
    _claim(_O.UNIDIRECTIONAL_SEQUENCE_LSTM, _LSTMS, _NARROW),
    _claim(
        _O.BIDIRECTIONAL_SEQUENCE_LSTM,
        _LSTMS,
        _NARROW,
        Condition(
            "both cells are of one size: LiteRT measures one by the other",
            lambda call: (
                call["fw_input_to_output_weights"].dimensions[0] == call["bw_input_to_output_weights"].dimensions[0]
            ),
        ),
        Condition("there is no layer normalisation, which TFLite's operator lacks", _without_norms),
        Condition(
            "time comes first where outputs are merged: else LiteRT computes other ones",
            lambda call: call.scalar("time_major") or not call.scalar("merge_outputs"),
        ),
        Condition(
            "the backward cell does not read the auxiliary input alone: LiteRT wants inputs of one size",
            lambda call: not _is_parallel(call),
        ),
    ),
    _claim(
        _O.BIDIRECTIONAL_SEQUENCE_RNN,
        _RNNS,
        Condition(
            "time comes first where the backward cell reads the auxiliary input: else LiteRT computes others",
            lambda call: bool(call.scalar("time_major")) or not _is_parallel(call),
        ),
    ),
    *(_claim(operation, _RNNS) for operation in (_O.RNN, _O.SVDF, _O.UNIDIRECTIONAL_SEQUENCE_RNN)),
)
"""Claims that hold for files only."""
