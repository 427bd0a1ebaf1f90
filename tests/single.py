"""One operation on NumPy arrays, with every check of a real execution by the bundled driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandLifeTime, OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import Model, Operand, Operation, Subgraph, SymmPerChannelQuantParams
from nnvet.reference_driver.compiled import compile_model
from nnvet.reference_driver.executor import GraphExecution


def tensor(
    operand_type: OperandType,
    value: object,
    scale: float = 0.0,
    zero_point: int = 0,
    channel_quant: SymmPerChannelQuantParams | None = None,
) -> Argument:
    """An input with a value (array-like of codes or numbers; a scalar for a scalar type)."""
    array = np.asarray(value, dtype=type_info(operand_type).dtype)
    return Argument(operand_type, array.shape, scale, zero_point, channel_quant, array)


def omitted(operand_type: OperandType) -> Argument:
    """An input without a value."""
    return Argument(operand_type, omitted=True)


def output(operand_type: OperandType, scale: float = 0.0, zero_point: int = 0, rank: int = 0) -> Argument:
    """A declared output of unknown dimensions."""
    return Argument(operand_type, (0,) * rank, scale, zero_point)


def run_single(
    operation: int,
    inputs: Sequence[Argument],
    outputs: Sequence[Argument],
    *,
    constants: bool = True,
    **extra: Any,
) -> list[Any]:
    """Arrays of the outputs of one operation.

    With ``constants`` all inputs but the first are treated as constants, so that what kernels keep for
    constants is exercised; without, none is.

    :raises HalError: as the driver answers.
    """
    count = len(inputs)
    arguments = [replace(a, constant=constants and i > 0 and not a.omitted) for i, a in enumerate(inputs)]
    operands = (
        *(_operand(argument, OperandLifeTime.SUBGRAPH_INPUT) for argument in arguments),
        *(_operand(argument, OperandLifeTime.SUBGRAPH_OUTPUT) for argument in outputs),
    )
    indexes = tuple(range(count)), tuple(range(count, count + len(outputs)))
    model = Model(Subgraph(operands, (Operation(operation, *indexes),), *indexes))
    compiled = compile_model(model)
    step = compiled.main.operations[0]
    if constants and hasattr(step, "constant_parameters"):
        step.constant_parameters = True
    results = GraphExecution(compiled, extra=extra).run(arguments, outputs)
    return [result.value for result in results]


def _operand(argument: Argument, lifetime: OperandLifeTime) -> Operand:
    return Operand(
        argument.type,
        argument.dimensions,
        argument.scale,
        argument.zero_point,
        lifetime,
        extra_params=argument.channel_quant,
    )
