"""Models of one operation, made from its declaration alone: every list of operand types that it supports.

The validation suite asks a driver whether it supports them, so shapes are as unspecified as the level allows: unknown
rank from feature level 3 on, sizes of one before that. ``random_graphs/`` makes models with inputs, for executions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.hal import types as hal
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import ANY_TYPE, Formal, OperationDeclaration, Signature, TypeRow

_UNKNOWN_RANK_LEVEL = 3
_SCALE = 1.0 / 256
_PRODUCT_OF_SCALES = _SCALE * _SCALE
_LAST_AXIS_CHANNELS = (hal.OperationType.DEPTHWISE_CONV_2D,)
"""Operations whose filters have a scale for each index of the last dimension, not of the first."""

Types = tuple[int, ...]


@dataclass(frozen=True)
class OperationForm:
    """One form of an operation: formal and actual operands in lists of one length, with types of one row.

    ``level`` is the first level that has these operands and types; validation finds uses that need a higher one.
    """

    declaration: OperationDeclaration
    formals: tuple[Formal, ...]
    inputs: Types
    outputs: Types
    level: int

    @property
    def type_names(self) -> str:
        """Names of the types of the form's tensors, beginning with the first operand's."""
        tensors = [kind for kind in (*self.inputs, *self.outputs) if type_info(kind).is_tensor]
        return "+".join(dict.fromkeys(map(type_name, tensors)))


def forms_of(declaration: OperationDeclaration) -> Iterator[OperationForm]:
    """Return all forms of an operation; none for control flow, whose operands depend on other subgraphs."""
    if any(formal.type == ANY_TYPE for formal in declaration.outputs):
        return
    seen = set()
    for signature in declaration.signatures:
        for formals in _lists(signature):
            for count in declaration.output_counts or (_output_count(declaration),):
                outputs = _repeated(declaration.outputs, count)
                for row in declaration.rows:
                    types = _types(formals, row), _types(outputs, row)
                    if types not in seen:
                        seen.add(types)
                        yield OperationForm(declaration, formals, *types, _level(declaration, row, formals, types))


def takes(declaration: OperationDeclaration, inputs: Sequence[int], outputs: Sequence[int]) -> bool:
    """Return True if some form of the operation, of any level, has exactly these types."""
    key = declaration.type, len(inputs), len(outputs)
    if key not in _TAKEN:
        _TAKEN[key] = _taken(declaration, len(inputs), len(outputs))
    return (tuple(inputs), tuple(outputs)) in _TAKEN[key]


_TAKEN: Final[dict[tuple[int, int, int], frozenset[tuple[Types, Types]]]] = {}
"""Allowed combinations of types, by operation and numbers of inputs and outputs."""


def _taken(declaration: OperationDeclaration, inputs: int, outputs: int) -> frozenset[tuple[Types, Types]]:
    """Return the types of all forms of the operation with these numbers of inputs and outputs."""
    is_variadic = any(formal.variadic for formal in declaration.outputs)
    if outputs not in (declaration.output_counts or (_output_count(declaration),)) and not is_variadic:
        return frozenset()
    results = _repeated(declaration.outputs, outputs)
    return frozenset(
        (_types(formals, row), _types(results, row))
        for signature in declaration.signatures
        for formals in _lists(signature, inputs)
        if len(formals) == inputs
        for row in declaration.rows
    )


def model_of(form: OperationForm, ranks: Mapping[int, int] | None = None) -> hal.Model:
    """Return the model of a form with a separate operand for each formal; ``ranks`` fix those of inputs by position."""
    ranks = ranks or {}
    inputs = [
        _operand(form, position, hal.OperandLifeTime.SUBGRAPH_INPUT, ranks.get(position))
        for position in range(len(form.inputs))
    ]
    rank = len(inputs[0].dimensions)
    outputs = [
        hal.Operand(
            kind,
            (0,) * rank if type_info(kind).is_tensor else (),
            _scale(kind),
            lifetime=hal.OperandLifeTime.SUBGRAPH_OUTPUT,
        )
        for kind in form.outputs
    ]
    first, end = len(inputs), len(inputs) + len(outputs)
    operation = hal.Operation(form.declaration.type, tuple(range(first)), tuple(range(first, end)))
    return hal.Model(hal.Subgraph((*inputs, *outputs), (operation,), operation.inputs, operation.outputs))


def all_forms() -> Iterator[OperationForm]:
    """Return all forms of all operations."""
    return (form for declaration in declarations().values() for form in forms_of(declaration))


def _operand(form: OperationForm, position: int, lifetime: hal.OperandLifeTime, rank: int | None) -> hal.Operand:
    kind, formal = form.inputs[position], form.formals[position]
    info = type_info(kind)
    if not info.is_tensor:
        return hal.Operand(kind, lifetime=lifetime)
    per_channel = kind == hal.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
    if rank is None:
        least = max(formal.rank[0], 1) if formal.rank else 1
        rank = least if per_channel or form.level < _UNKNOWN_RANK_LEVEL else 0
    scale = _scale(kind)
    if formal.name == "bias" and kind == hal.OperandType.TENSOR_INT32:
        has_channels = hal.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL in form.inputs
        scale = 0.0 if has_channels else _PRODUCT_OF_SCALES
    channel = max(rank - 1, 0) if form.declaration.type in _LAST_AXIS_CHANNELS else 0
    params = hal.SymmPerChannelQuantParams((_SCALE,), channel) if per_channel else None
    return hal.Operand(kind, (1,) * rank, scale, lifetime=lifetime, extra_params=params)


def _scale(kind: int) -> float:
    return _SCALE if type_info(kind).scale == "positive" else 0.0


def _lists(signature: Signature, length: int | None = None) -> Iterator[tuple[Formal, ...]]:
    """Yield the lists of formals of a signature, one for each length."""
    if any(formal.variadic for formal in signature.inputs):
        least = sum(formal.minimum if formal.variadic else 1 for formal in signature.inputs)
        lengths: Iterable[int] = (least, least + 1) if length is None else (length,)
        for wanted in lengths:
            if wanted >= least:
                yield _repeated(signature.inputs, wanted)
        return
    for accepted in signature.lengths or (len(signature.inputs),):
        if length in (None, accepted):
            yield signature.inputs[:accepted]


def _repeated(formals: Sequence[Formal], count: int) -> tuple[Formal, ...]:
    """Return ``count`` formals: the first ones, or all of them with the variadic one repeated."""
    index = next((i for i, formal in enumerate(formals) if formal.variadic), None)
    if index is None:
        return tuple(formals[:count])
    times = max(count - (len(formals) - 1), 0)
    return (*formals[:index], *[formals[index]] * times, *formals[index + 1 :])


def _output_count(declaration: OperationDeclaration) -> int:
    return len(declaration.outputs)


def _types(formals: Sequence[Formal], row: TypeRow) -> Types:
    return tuple(row.types[formal.type] if isinstance(formal.type, str) else formal.type for formal in formals)


def _level(
    declaration: OperationDeclaration, row: TypeRow, formals: Sequence[Formal], types: tuple[Types, Types]
) -> int:
    operands = [type_info(kind).level for kind in (*types[0], *types[1])]
    return max(declaration.level, row.level, *operands, *(formal.level for formal in formals))
