"""Importer of .tflite files: :func:`import_model` converts a file to a HAL model.

Functions in the modules of ``operators/`` convert one operator each. Conditions that hold for whole groups of
operators are checked here, by :func:`convert`. :mod:`nnvet.formats.tflite.source` reads the file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.context import Context, Conversion, HalGraph
from nnvet.formats.tflite.operators import movement, numeric, recurrent
from nnvet.formats.tflite.schema import TensorType
from nnvet.formats.tflite.source import parse, read_file
from nnvet.hal import memory
from nnvet.hal.errors import HalError
from nnvet.hal.types import FeatureLevel, Model, OperandLifeTime, OperandType
from nnvet.hal.validation.model import validate_model

if TYPE_CHECKING:
    from collections.abc import Sequence

RAW_CODES: Final = frozenset({"GATHER", "MAXIMUM", "MINIMUM", "PACK", "SELECT", "SELECT_V2", "SLICE", "STRIDED_SLICE"})
"""Operators whose 8-bit codes TFLite handles as they are, whereas NNAPI may convert them: all scales must agree."""
FLOAT_ONLY: Final = {
    "DIV": "TFLite rounds integer quotients toward zero, NNAPI down",
    "TOPK_V2": "TFLite puts the first of equal values first, NNAPI the last, and equal codes are common",
}
"""Operators whose integer forms differ, with the difference."""
_BYTES: Final = (TensorType.UINT8, TensorType.INT8)
"""Element types of 8-bit codes."""


def convert(context: Context) -> None:
    """Emit NNAPI operations for one operator.

    :raises ModelFileError: if it has no NNAPI form that computes the same.
    """
    name = context.operator.name
    if name not in FUNCTIONS:
        context.fail("it has no NNAPI counterpart", "convert the model without it, or run that part elsewhere")
    if not context.operator.outputs:
        context.fail("it has no output", "convert the model again")
    if name in FLOAT_ONLY and context.output_tensor().type != TensorType.FLOAT32:
        context.fail(FLOAT_ONLY[name], "keep it in float")
    if name in RAW_CODES:
        tensors = context.conversion.source.tensors
        ports = [tensors[index] for index in (*context.operator.inputs, *context.operator.outputs) if index >= 0]
        if len({(tensor.scales, tensor.zero_points) for tensor in ports if tensor.type in _BYTES}) > 1:
            context.fail("inputs and output have different scales", "quantise the model with equal ones")
    try:
        with np.errstate(all="ignore"):
            FUNCTIONS[name](context)
    except ModelFileError:
        raise
    except HalError as error:
        context.fail(error.message, "convert the model in another way")
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # No converter writes such counts, ranks or sizes, so the functions do not check for them.
        context.fail(f"its tensors do not fit together ({error})", "convert the model again")


_CONSTANTS_PER_FILE = 4
_SMALL_FILE = 2**20
"""Constants may take ``_CONSTANTS_PER_FILE`` times the bytes of the file, and ``_SMALL_FILE`` bytes more. This keeps a
damaged file from filling the memory."""


@dataclass(frozen=True)
class TensorDescription:
    """An input or output of a model. ``type`` is a HAL operand type; the scale is 0 unless it is quantised."""

    name: str
    type: OperandType
    shape: tuple[int, ...]
    scale: float
    zero_point: int


@dataclass(frozen=True)
class StateBinding:
    """A state: after each step model output ``output_index`` becomes model input ``input_index``.

    At the start of a sequence every element is ``zero`` (the zero point of a quantised state).
    """

    input_index: int
    output_index: int
    zero: int
    name: str


@dataclass(frozen=True)
class ImportedModel:
    """A HAL model with descriptions of its inputs and outputs. States come after the file's own inputs and outputs.

    ``origins`` names the TFLite operator that each HAL operation came from, ``feature_level`` is what the model needs.
    The model's memory pool lives until :meth:`close` or the end of a ``with`` block.
    """

    model: Model
    inputs: tuple[TensorDescription, ...]
    outputs: tuple[TensorDescription, ...]
    states: tuple[StateBinding, ...]
    origins: tuple[str, ...]
    source: str
    feature_level: FeatureLevel

    def close(self) -> None:
        """Give the model's memory back."""
        for pool in self.model.pools:
            memory.close(pool)

    def __enter__(self) -> Self:
        """Return the model; its memory is freed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


def import_model(
    source: Path | bytes, *, input_shape: Sequence[int] = (), relaxed: bool = False, name: str = ""
) -> ImportedModel:
    """Convert a .tflite file, given by its path or by its bytes.

    ``input_shape`` replaces the shape of the first input; ``relaxed`` sets the model's permission to compute float32
    as float16; ``name`` stands for the file in messages.

    :raises ModelFileError: if the file is damaged or some operator has no NNAPI form that computes the same.
    """
    label = name or (str(source) if isinstance(source, Path) else "model")
    data = read_file(source) if isinstance(source, Path) else source
    parsed = parse(data, label)
    limit = _CONSTANTS_PER_FILE * len(data) + _SMALL_FILE
    conversion = Conversion(parsed, HalGraph(limit))
    _declare_inputs(conversion, tuple(input_shape))
    origins = _convert_operators(conversion, resized=bool(input_shape))
    outputs = _outputs(conversion)
    graph = conversion.graph
    inputs = [conversion.operands[index] for index in parsed.inputs]
    model = graph.finish(
        [*inputs, *(state.input for state in conversion.states)],
        [*outputs, *(state.output for state in conversion.states)],
        relaxed=relaxed,
    )
    try:
        level = validate_model(model)
    except HalError as error:
        for pool in model.pools:
            memory.close(pool)
        raise ModelFileError(f"{label}: the converted model breaks {error.rule}: {error.message}") from error
    return ImportedModel(
        model,
        tuple(_describe(conversion, index) for index in parsed.inputs),
        tuple(_describe(conversion, index) for index in parsed.outputs),
        tuple(
            StateBinding(len(inputs) + position, len(outputs) + position, _zero(model, state.input), state.tensor.name)
            for position, state in enumerate(conversion.states)
        ),
        origins,
        label,
        level,
    )


def _declare_inputs(conversion: Conversion, input_shape: tuple[int, ...]) -> None:
    """Declare the inputs of the file as inputs of the model."""
    parsed = conversion.source
    probe = Context(conversion, parsed.operators[0])
    for position, index in enumerate(parsed.inputs):
        tensor = parsed.tensors[index]
        shape = input_shape if position == 0 and input_shape else tensor.shape or (1,)
        if tensor.value is not None or index in conversion.operands or not all(size > 0 for size in shape):
            raise ModelFileError(
                f"{parsed.source}: input {position} ({tensor.label}) is constant, listed twice or of the unknown shape "
                f"{list(shape)}; convert the model with distinct inputs of fixed shapes"
            )
        operand = conversion.graph.tensor(probe.hal_type(tensor), shape, probe.hal_quantization(tensor))
        conversion.graph.mark(operand, OperandLifeTime.SUBGRAPH_INPUT)
        conversion.operands[index] = operand


def _convert_operators(conversion: Conversion, *, resized: bool) -> tuple[str, ...]:
    """Convert all operators in order; return the origin of each HAL operation."""
    parsed, graph = conversion.source, conversion.graph
    origins: list[str] = []
    for operator in parsed.operators:
        context = Context(conversion, operator)
        convert(context)
        origins += [operator.label] * (len(graph.operations) - len(origins))
        for index in operator.outputs:
            declared, shape = parsed.tensors[index].shape, graph.arguments[conversion.operands[index]].dimensions
            if declared not in ((), shape) and not resized:
                context.fail(f"it yields the shape {shape}, the file says {declared}", "convert it with fixed shapes")
    return tuple(origins)


def _outputs(conversion: Conversion) -> list[int]:
    """Return operands of the file's outputs, marked as outputs of the model."""
    parsed, graph = conversion.source, conversion.graph
    operands = []
    for position, index in enumerate(parsed.outputs):
        operand = conversion.operands.get(index)
        computed = operand is not None and graph.lifetimes[operand] == OperandLifeTime.TEMPORARY_VARIABLE
        if operand is None or not computed:
            raise ModelFileError(
                f"{parsed.source}: output {position} ({parsed.tensors[index].label}) is not computed by an operator "
                "or listed twice; convert the model with outputs of their own"
            )
        graph.mark(operand, OperandLifeTime.SUBGRAPH_OUTPUT)
        operands.append(operand)
    return operands


def _describe(conversion: Conversion, index: int) -> TensorDescription:
    """Return the description of an input or output."""
    argument = conversion.graph.arguments[conversion.operands[index]]
    name = conversion.source.tensors[index].name
    return TensorDescription(name, OperandType(argument.type), argument.dimensions, argument.scale, argument.zero_point)


def _zero(model: Model, operand: int) -> int:
    """Return the code that means 0 in a state."""
    return model.main.operands[operand].zero_point


FUNCTIONS: Final[dict[str, Callable[[Context], None]]] = {
    **dict.fromkeys(movement.LAYOUTS, movement.convert),
    **numeric.FUNCTIONS,
    **movement.FUNCTIONS,
    **recurrent.FUNCTIONS,
}
