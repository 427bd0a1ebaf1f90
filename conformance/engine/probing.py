"""Questions to a driver about its support of each operation and type, before random models are made.

Campaigns call :func:`probe_target`, stress tests :func:`probe_claims`. Models are then made of supported operations
only, so that a driver with few operations is tested in depth. The log of a campaign also gets a list of everything that
its models can contain (:func:`model_space`). The generator is :mod:`nnvet.generators.random_graphs`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.coverage import APART, REASONS, numbered_items
from nnvet.generators.random_graphs.flow import reads_outputs
from nnvet.generators.random_graphs.generate import single_operation
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.shapes import NARROW
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import every_declaration
from nnvet.hal.levels import LAST_HIDL_LEVEL, without_consumers
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.operations.declaration import ANY_TYPE, Formal, OperationDeclaration
from nnvet.reports.events import ModelSpace
from nnvet.transport.wire.failures import DriverGone


@dataclass(frozen=True)
class ClaimedOperations:
    """Operations by their first type: all those asked about, and those that the driver does not support."""

    asked: Mapping[OperandType, frozenset[OperationType]]
    lacking: Mapping[OperandType, frozenset[OperationType]]

    @property
    def claimed(self) -> Mapping[OperandType, frozenset[OperationType]]:
        """Return the supported operations, by type."""
        return {kind: operations - self.lacking[kind] for kind, operations in self.asked.items()}

    def options(self, wanted: GraphOptions) -> list[GraphOptions]:
        """Return options for models of supported operations; types that lack the same operations share one."""
        groups: defaultdict[frozenset[OperationType], list[OperandType]] = defaultdict(list)
        for kind, operations in self.asked.items():
            if operations - self.lacking[kind]:
                groups[self.lacking[kind]].append(kind)
        if list(groups) == [frozenset()]:
            # Options without a restriction keep a short name, since names of cases contain them.
            return [
                wanted if set(groups[frozenset()]) == set(wanted.types) else _limit_types(wanted, groups[frozenset()])
            ]
        found = []
        for lacking, kinds in groups.items():
            only = sorted(frozenset().union(*(self.asked[kind] for kind in kinds)) - lacking)
            found.append(replace(_limit_types(wanted, kinds), only=tuple(only)))
        return found

    def __str__(self) -> str:
        """Return the number of supported operations, and the names of the others with their types."""
        every = frozenset().union(*self.asked.values())
        lacking = frozenset().union(*self.lacking.values())
        text = f"{len(every - frozenset.intersection(*self.lacking.values(), every))} of {len(every)} operations"
        if not lacking:
            return text
        named = []
        for operation in sorted(lacking):
            kinds = [kind.name.removeprefix("TENSOR_") for kind, ones in self.lacking.items() if operation in ones]
            named.append(f"{operation.name} ({', '.join(kinds)})")
        return f"{text}; not supported, and not asked for: {', '.join(named)}"


def _limit_types(wanted: GraphOptions, kinds: list[OperandType]) -> GraphOptions:
    """Return the options with other types."""
    return replace(wanted, types=tuple(kinds))


def probe_target(target: Target, wanted: GraphOptions) -> tuple[GraphOptions, ClaimedOperations]:
    """Limit the options to the driver's feature level, and return them with the operations that it claims.

    :raises SelectorError: there is no such driver.
    :raises DriverLostError: it does not start.
    """
    with open_subject(target) as subject:
        wanted = replace(wanted, level=min(wanted.level, subject.feature_level))
        return wanted, probe_claims(subject, wanted)


def probe_claims(subject: Subject, wanted: GraphOptions) -> ClaimedOperations:
    """Ask a driver about each operation and type of the options; an operation is supported if one of its forms is.

    If the driver dies, the remaining operations count as supported: the run will find the fault.
    """
    asked: defaultdict[OperandType, set[OperationType]] = defaultdict(set)
    claimed: defaultdict[OperandType, set[OperationType]] = defaultdict(set)
    is_gone = False
    for kind in wanted.types:
        for rank in wanted.ranks:
            for signature in whole_pool(kind, rank, wanted.level):
                if (wanted.only and signature.operation not in wanted.only) or signature.operation in claimed[kind]:
                    continue
                asked[kind].add(signature.operation)
                try:
                    is_supported = is_gone or _claims(subject, signature, kind, rank)
                except DriverGone:
                    is_gone = is_supported = True
                if is_supported:
                    claimed[kind].add(signature.operation)
    return ClaimedOperations(
        {kind: frozenset(ones) for kind, ones in asked.items()},
        {kind: frozenset(ones - claimed[kind]) for kind, ones in asked.items()},
    )


def _claims(subject: Subject, signature: OperationSignature, kind: OperandType, rank: int) -> bool:
    """Return True if the driver supports a model of one operation with the given type and rank."""
    name = f"probe/{signature.name}"
    model = build_model(single_operation(SeededChooser(name), name, signature, kind, rank, NARROW))
    try:
        known = model if subject.feature_level <= LAST_HIDL_LEVEL else without_consumers(model)
        return all(subject.device.get_supported_operations(known))
    except HalError:
        return False
    finally:
        close_pools(model)


def model_space(support: ClaimedOperations, wanted: GraphOptions) -> ModelSpace:
    """Return everything that models of supported operations may contain, with the options ``wanted``."""
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
    known = every_declaration()
    apart = {operation: reason for operation, reason in APART.items() if operation in wanted.only or not wanted.only}
    return ModelSpace(
        {
            operation.name: {kind: tuple(sorted(ranks)) for kind, ranks in kinds[operation].items()}
            for operation in made
        },
        {name: tuple(types) for name, types in sorted(lacking.items())},
        {operation.name: numbered_items(operation) for operation in (*made, *apart)},
        {**REASONS, **{item: reason for operation, reason in apart.items() for item in numbered_items(operation)}},
        {operation.name: _types_of(known[operation], known[operation].outputs) for operation in made},
        {
            operation.name: _types_of(known[operation], _list_readable(known[operation]))
            for operation in made
            if operation in readers
        },
    )


def _list_readable(declaration: OperationDeclaration) -> Iterable[Formal]:
    """Yield the inputs that may be results of other operations."""
    return (formal for signature in declaration.signatures for formal in signature.inputs if not formal.parameter)


def _types_of(declaration: OperationDeclaration, formals: Iterable[Formal]) -> tuple[str, ...]:
    """Return the types of tensors that operands may have, over all rows of the declaration."""
    wanted = list(formals)
    if any(formal.type == ANY_TYPE for formal in wanted):
        return tuple(kind.name for kind in OperandType if type_info(kind).is_tensor)
    found = {_resolve_type(row.types, formal) for row in declaration.rows for formal in wanted}
    return tuple(sorted(type_name(kind) for kind in found if type_info(kind).is_tensor))


def _resolve_type(types: Mapping[str, object], formal: Formal) -> int:
    """Return the type of a formal operand in one row of its declaration."""
    kind = types[formal.type] if isinstance(formal.type, str) else formal.type
    assert isinstance(kind, int)  # noqa: S101 - operations of the HAL have no type of an extension
    return kind
