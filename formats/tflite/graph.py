"""Builds a HAL model operation by operation: each is checked against its declaration and its shapes are inferred."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.memory import Ashmem, create_ashmem, mapped
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.binding import bind, check_ranks
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Call, OutputSpec, Phase
from nnvet.hal.types import DataLocation, Model, Operand, Operation, Subgraph, SymmPerChannelQuantParams

_LARGEST_COPY = 128
"""Constants of up to so many bytes travel with the model, larger ones in its pool (as NNAPI's runtime does)."""
_COPY_ALIGNMENT = 4
_POOL_ALIGNMENT = 16
_LARGEST_TENSOR = 2**31 - 1


@dataclass(frozen=True)
class Quantization:
    """Scales and zero points of codes; several ``scales`` run along ``channel_dim``."""

    scale: float = 0.0
    zero_point: int = 0
    channel: SymmPerChannelQuantParams | None = None


@dataclass
class HalGraph:
    """The main subgraph of a model being built; operands are named by their index."""

    constant_limit: int
    """Bytes of constants allowed in all; tensors of a hostile file may share one buffer."""
    arguments: list[Argument] = field(default_factory=list)
    lifetimes: list[OperandLifeTime] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    _small: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def tensor(
        self, operand_type: OperandType, dimensions: Sequence[int], quantization: Quantization | None = None
    ) -> int:
        """A computed tensor; no dimensions where they are still to be inferred."""
        return self._add(operand_type, dimensions, OperandLifeTime.TEMPORARY_VARIABLE, quantization)

    def constant(
        self, operand_type: OperandType, value: npt.ArrayLike, quantization: Quantization | None = None
    ) -> int:
        """A constant tensor (scalars of ``value`` become one element) or, for a scalar type, a constant scalar."""
        info = OPERAND_TYPES[operand_type]
        array = np.ascontiguousarray(value, dtype=info.dtype)
        dimensions = (array.shape or (1,)) if info.is_tensor else ()
        self.constant_limit -= array.nbytes
        if self.constant_limit < 0:
            raise invalid("the constants are far larger than the file", "model/pool.valid")
        copied = array.nbytes <= _LARGEST_COPY
        key = (operand_type, dimensions, array.tobytes(), quantization) if copied else ()
        if key in self._small:
            return self._small[key]
        lifetime = OperandLifeTime.CONSTANT_COPY if copied else OperandLifeTime.CONSTANT_REFERENCE
        index = self._add(operand_type, dimensions, lifetime, quantization)
        self.arguments[index] = replace(self.arguments[index], value=array.reshape(dimensions), constant=True)
        if copied:
            self._small[key] = index
        return index

    def omitted(self, operand_type: OperandType, rank: int = 1) -> int:
        """An operand without value, declared with dimensions of size 0 (as models of level 1.0 must)."""
        index = self._add(operand_type, (0,) * rank, OperandLifeTime.NO_VALUE, None)
        self.arguments[index] = replace(self.arguments[index], omitted=True)
        return index

    def mark(self, index: int, lifetime: OperandLifeTime) -> None:
        """Make a computed tensor an input or output of the model."""
        self.lifetimes[index] = lifetime

    def operation(self, kind: OperationType, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Append an operation after checking every rule that can be checked now; output shapes become known.

        :raises HalError: with the broken rule.
        """
        declaration = declarations().get(kind)
        if declaration is None:
            raise invalid(f"{kind.name} is not declared", "model/operation.type")
        call = bind(declaration, [self.arguments[i] for i in inputs], [self.arguments[i] for i in outputs])
        check_ranks(call, Phase.EXECUTION)
        for rule in declaration.rules:
            if rule.check is not None and not _holds(call, rule.check):
                call.fail(rule.id)
        for index, spec in zip(outputs, declaration.infer(call), strict=True):
            self._resolve(index, spec, kind.name)
        self.operations.append(Operation(kind, tuple(inputs), tuple(outputs)))

    def finish(self, inputs: Sequence[int], outputs: Sequence[int], *, relaxed: bool = False) -> Model:
        """The model; its pool, if it has one, belongs to the caller."""
        values, pool = bytearray(), bytearray()
        operands = tuple(
            Operand(
                argument.type,
                argument.dimensions,
                argument.scale,
                argument.zero_point,
                lifetime,
                _place(argument, lifetime, values, pool),
                argument.channel_quant,
            )
            for argument, lifetime in zip(self.arguments, self.lifetimes, strict=True)
        )
        main = Subgraph(operands, tuple(self.operations), tuple(inputs), tuple(outputs))
        pools: tuple[Ashmem, ...] = ()
        if pool:
            pools = (create_ashmem(len(pool), "nnvet-weights"),)
            with mapped(pools[0]) as view:
                view[:] = pool
        return Model(main, (), bytes(values), pools, relaxed)

    def _add(
        self,
        operand_type: OperandType,
        dimensions: Sequence[int],
        lifetime: OperandLifeTime,
        quantization: Quantization | None,
    ) -> int:
        known = quantization or Quantization()
        self.arguments.append(Argument(operand_type, tuple(dimensions), known.scale, known.zero_point, known.channel))
        self.lifetimes.append(lifetime)
        return len(self.arguments) - 1

    def _resolve(self, index: int, spec: OutputSpec, name: str) -> None:
        """Set the inferred dimensions of an output; its quantisation must be what the operation produces."""
        declared = self.arguments[index]
        dimensions = declared.dimensions if spec.dimensions is None else spec.dimensions
        if declared.dimensions not in ((), dimensions):
            raise invalid(f"the output has shape {dimensions}, the file says {declared.dimensions}", f"{name}/output")
        if 0 in dimensions or not dimensions:
            raise invalid(f"the output shape {dimensions or 'is unknown'} is not a full shape", f"{name}/output")
        if math.prod(dimensions) * OPERAND_TYPES[declared.type].size > _LARGEST_TENSOR:
            raise invalid(f"the output of shape {dimensions} is larger than 2 GiB", f"{name}/output")
        scale = declared.scale if spec.scale is None else spec.scale
        zero_point = declared.zero_point if spec.zero_point is None else spec.zero_point
        if np.float32(scale) != np.float32(declared.scale) or zero_point != declared.zero_point:
            raise invalid(
                f"the output has scale {declared.scale} and zero point {declared.zero_point}, NNAPI's operation "
                f"produces {scale} and {zero_point}",
                f"{name}/output.quantization",
            )
        self.arguments[index] = replace(declared, dimensions=tuple(dimensions))


def _place(argument: Argument, lifetime: OperandLifeTime, values: bytearray, pool: bytearray) -> DataLocation:
    """Append a constant's content where its lifetime says."""
    if not argument.constant or argument.value is None:
        return DataLocation()
    copied = lifetime == OperandLifeTime.CONSTANT_COPY
    where, alignment = (values, _COPY_ALIGNMENT) if copied else (pool, _POOL_ALIGNMENT)
    where.extend(bytes(-len(where) % alignment))
    location = DataLocation(offset=len(where), length=argument.value.nbytes)
    where.extend(argument.value.tobytes())
    return location


def _holds(call: Call, check: Any) -> bool:
    """Return True if a rule holds; a rule on values that only an execution knows is left to the driver."""
    try:
        return bool(check(call))
    except HalError as error:
        if error.rule == "operation/omitted":
            return True
        raise
