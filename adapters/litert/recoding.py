"""Signed codes computed as unsigned ones, and the other way round, where LiteRT has a kernel for one of them only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.runtimes.types import BOTH_BYTES, SIGNED, UNSIGNED
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Argument, Call, copy_of

_SHIFT: Final = {UNSIGNED: 128, SIGNED: -128}
"""Number that turns a code into one of the other type."""


def in_fitting_codes(weights: str, emit: Callable[[Emitter, Call], None]) -> Callable[[Emitter, Call], None]:
    """``emit`` in the codes that LiteRT has a kernel for, by the operand ``weights``.

    Signed weights have to have zero point 0, which unsigned ones need not; those with a scale for each channel go
    with signed codes only.
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
    """The operand in the codes of ``kind``."""
    twin = copy_of(argument)
    twin.type, twin.zero_point = kind, argument.zero_point + _SHIFT[kind]
    if argument.constant:
        twin.value = (argument.array.astype(np.int16) + _SHIFT[kind]).astype(twin.dtype)
    return twin
