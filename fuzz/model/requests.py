"""A request for any model, however odd: inputs made from a seed, outputs as large as they can be known to be."""

from __future__ import annotations

import mmap
import os
import random
from typing import Final

import numpy as np

from nnvet.fuzz.extremes import INT32_MAX, INT32_MIN
from nnvet.hal.memory import Ashmem, create_ashmem
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import DataLocation, Model, Operand, OperandType, Request, RequestArgument
from nnvet.hal.validation.operands import byte_size

MOST_BYTES: Final = 1 << 16
"""Of all inputs, and of all outputs; a model that needs more is not executed."""
_UNKNOWN: Final = 2
"""Size of a dimension in a request that the model leaves open."""
_OUTPUT_BYTES: Final = 256
"""Of an output whose size is not known."""
_ALIGNMENT: Final = 64
_TRUTH: Final = bytes(code & 1 for code in range(256))
_SMALL: Final = (0, 1, 2, 3, -1)
_EXTREME: Final = (0, 1, -1, 5, 1000, INT32_MAX, INT32_MIN)
"""Values of integer inputs: indexes, lengths, keys. One seed of four makes extreme ones."""


class RequestMemory:
    """Memory that all requests share, one at a time: outputs behind inputs, in as few pages as they need."""

    def __init__(self) -> None:
        """Make it; it is closed when it is forgotten."""
        self.pool: Ashmem = create_ashmem(2 * MOST_BYTES)

    def request(self, model: Model, seed: int) -> Request | None:
        """A request with inputs written; None: they are too large, or the model names operands that do not exist."""
        main = model.main
        indexes = (*main.input_indexes, *main.output_indexes)
        if indexes and not 0 <= min(indexes) <= max(indexes) < len(main.operands):
            return None
        inputs, used = _arguments([main.operands[index] for index in main.input_indexes], 0, are_outputs=False)
        outputs, end = _arguments([main.operands[index] for index in main.output_indexes], used, are_outputs=True)
        if max(used, end - used) > MOST_BYTES:
            return None
        self._write(main.input_indexes, inputs, model, seed)
        # A driver maps what it is given: the less there is, the quicker, and the sooner it ends where nothing may be.
        pages = max(-(-end // mmap.PAGESIZE), 1)
        return Request(tuple(inputs), tuple(outputs), (Ashmem(self.pool.handle, pages * mmap.PAGESIZE),))

    def _write(self, indexes: tuple[int, ...], arguments: list[RequestArgument], model: Model, seed: int) -> None:
        source = random.Random(seed)  # noqa: S311 - no secret
        for index, argument in zip(indexes, arguments, strict=True):
            data = _content(model.main.operands[index].type, argument.location.length, source)
            os.pwrite(self.pool.handle.fd, data, argument.location.offset)


def _content(operand_type: int, size: int, source: random.Random) -> bytes:
    """Values of an input: small integers, reals around zero, any codes."""
    if operand_type in (OperandType.TENSOR_INT32, OperandType.INT32, OperandType.UINT32):
        palette = _SMALL if source.randrange(4) else _EXTREME
        return np.array(source.choices(palette, k=-(-size // 4)), np.int32).tobytes()[:size]
    content = source.randbytes(size)
    if operand_type in (OperandType.TENSOR_FLOAT32, OperandType.FLOAT32):
        codes = np.frombuffer(content[: size // 4 * 4], np.int32)
        return (codes / np.float32(2**30)).astype(np.float32).tobytes()
    if operand_type in (OperandType.TENSOR_BOOL8, OperandType.BOOL):
        return content.translate(_TRUTH)
    return content


def _arguments(operands: list[Operand], begin: int, *, are_outputs: bool) -> tuple[list[RequestArgument], int]:
    """Arguments side by side from an offset on, and where they end."""
    found, offset = [], begin
    for operand in operands:
        info = OPERAND_TYPES.get(operand.type)
        dimensions: tuple[int, ...] = ()
        if info is not None and not info.is_tensor:
            size = info.size
        else:
            if 0 in operand.dimensions and not are_outputs:
                dimensions = tuple(dimension or _UNKNOWN for dimension in operand.dimensions)
            size = byte_size(operand.type, dimensions or operand.dimensions) if info is not None else _OUTPUT_BYTES
            is_open = not operand.dimensions or (0 in operand.dimensions and are_outputs)
            size = _OUTPUT_BYTES if is_open and are_outputs else size
        found.append(RequestArgument(location=DataLocation(0, offset, size), dimensions=dimensions))
        offset += -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT
    return found, offset
