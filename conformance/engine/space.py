"""Possible contents of a campaign's random models, for its log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from nnvet.conformance.engine.probing import ClaimedOperations
from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.choices import reads_outputs
from nnvet.generators.random_graphs.coverage import APART, REASONS, numbered_items
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import ANY_TYPE, Formal, OperationDeclaration
from nnvet.reports.events import ModelSpace


def model_space(support: ClaimedOperations, wanted: GraphOptions) -> ModelSpace:
    """All that models of what a driver supports may have, with the options ``wanted``."""
    kinds: dict[OperationType, dict[str, set[int]]] = {}
    readers: set[OperationType] = set()
    for kind, rank in product(wanted.types, wanted.ranks):
        for signature in whole_pool(kind, rank, wanted.level):
            if signature.operation in support.claimed.get(kind, ()):
                kinds.setdefault(signature.operation, {}).setdefault(type_name(kind), set()).add(rank)
                readers |= {signature.operation} if reads_outputs(signature, kind) else set()
    lacking: dict[str, list[str]] = {}
    for kind, operations in support.lacking.items():
        for operation in operations:
            lacking.setdefault(operation.name, []).append(type_name(kind))
    made = sorted(kinds, key=lambda operation: operation.name)
    known = declarations()
    apart = {operation: reason for operation, reason in APART.items() if operation in wanted.only or not wanted.only}
    return ModelSpace(
        {
            operation.name: {kind: tuple(sorted(ranks)) for kind, ranks in kinds[operation].items()}
            for operation in made
        },
        {name: tuple(types) for name, types in sorted(lacking.items())},
        {operation.name: numbered_items(operation) for operation in (*made, *apart)},
        {**REASONS, **{item: reason for operation, reason in apart.items() for item in numbered_items(operation)}},
        {operation.name: _types(known[operation], known[operation].outputs) for operation in made},
        {
            operation.name: _types(known[operation], _read(known[operation]))
            for operation in made
            if operation in readers
        },
    )


def _read(declaration: OperationDeclaration) -> Iterable[Formal]:
    """Inputs that may be computed."""
    return (formal for signature in declaration.signatures for formal in signature.inputs if not formal.parameter)


def _types(declaration: OperationDeclaration, formals: Iterable[Formal]) -> tuple[str, ...]:
    """The types of tensors that operands may have, by all rows."""
    wanted = list(formals)
    if any(formal.type == ANY_TYPE for formal in wanted):
        return tuple(kind.name for kind in OperandType if type_info(kind).is_tensor)
    found = {_resolved(row.types, formal) for row in declaration.rows for formal in wanted}
    return tuple(sorted(type_name(kind) for kind in found if type_info(kind).is_tensor))


def _resolved(types: Mapping[str, object], formal: Formal) -> int:
    kind = types[formal.type] if isinstance(formal.type, str) else formal.type
    assert isinstance(kind, int)  # noqa: S101 - operations of the HAL have no type of an extension
    return kind
