"""All signatures of operations that random models can contain.

:func:`all_signatures` collects those of the modules in ``families/`` and those of known extensions that bring a
meaning, which is the function that computes an operation's ideal results. The operands of an extension's operation come
from the extension's own generator; without a generator, from the declaration. The other functions select signatures:
:func:`by_test` and :func:`pool` for the named tests (``named.py``), :func:`whole_pool` for graphs of mixed types
(``flow.py``, ``schedule.py``).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Final, cast

from nnvet.generators.random_graphs import families
from nnvet.generators.random_graphs.draft import Draft, unbounded
from nnvet.generators.random_graphs.shapes import fixed
from nnvet.generators.random_graphs.signature import OperationSignature, further
from nnvet.hal.extensions import brought, every_declaration
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Formal, OperationDeclaration
from nnvet.hal.types import OperandType, OperationType


@cache
def all_signatures() -> tuple[OperationSignature, ...]:
    """Return every signature, sorted by name; those of known extensions that bring meanings are among them.

    :raises ValueError: two have the same name.
    """
    found: dict[str, OperationSignature] = {}
    for module in pkgutil.iter_modules(families.__path__, f"{families.__name__}."):
        for signature in getattr(importlib.import_module(module.name), "SIGNATURES", ()):
            if signature.name in found:
                raise ValueError(f"two signatures are called {signature.name}")
            found[signature.name] = signature
    found |= {signature.name: signature for signature in signatures_of_extensions()}
    return tuple(found[name] for name in sorted(found))


@cache
def by_test() -> Mapping[str, Sequence[OperationSignature]]:
    """Return the signatures of CTS of each operation in each version, by the name of the test."""
    tests: dict[str, list[OperationSignature]] = {}
    for signature in all_signatures():
        if signature.in_cts:
            tests.setdefault(signature.test, []).append(signature)
    return dict(sorted(tests.items()))


@cache
def pool(kind: OperandType, rank: int, level: int) -> Sequence[OperationSignature]:
    """Return the signatures of CTS's graphs of a type and rank, up to a feature level."""
    return tuple(signature for signature in whole_pool(kind, rank, level) if signature.in_cts)


@cache
def whole_pool(kind: OperandType, rank: int, level: int) -> Sequence[OperationSignature]:
    """Return all signatures of a type and rank that graphs may have, up to a feature level."""
    return tuple(
        signature
        for signature in all_signatures()
        if signature.in_graphs and kind in signature.types and rank in signature.ranks and signature.level <= level
    )


_MOST_RANK: Final = 4
"""Largest rank of operands of an extension's operation, unless its declaration requires more."""
_LARGEST: Final = 2.0
"""Largest magnitude of real scalars without declared limits."""
_FEW: Final = 4
"""Largest integer scalar without declared limits; the smallest is 0."""


def signatures_of_extensions() -> Iterator[OperationSignature]:
    """Yield the signatures of all operations of known extensions that bring a meaning."""
    generators = brought("generators")
    for code in brought("meanings"):
        declaration = every_declaration()[code]
        build = generators.get(code) or partial(by_declaration, declaration=declaration)
        yield from further(cast("OperationType", declaration.type), build, _ranks(declaration))


def _ranks(declaration: OperationDeclaration) -> range:
    """Return the ranks of the first tensor that the declaration allows, up to four unless it has more."""
    low, high = declaration.signatures[0].inputs[0].rank or (1, None)
    most = max(low, _MOST_RANK)
    return range(max(low, 1), 1 + (most if high is None else min(high, most)))


def by_declaration(draft: Draft, *, declaration: OperationDeclaration) -> None:
    """Build an operation from its declaration alone: tensors of one shape, and scalars within the declared limits.

    Nothing is known about the magnitude of the results, so no operation reads them; a generator of the extension's own
    can do better.
    """
    row = next(row for row in declaration.rows if draft.kind in row.types.values())

    def kind_of(formal: Formal) -> OperandType:
        return cast("OperandType", row.types[formal.type] if isinstance(formal.type, str) else formal.type)

    first = None
    for formal in draft.chooser.pick(declaration.signatures).inputs:
        kind = kind_of(formal)
        if not type_info(kind).is_tensor:
            _add_scalar(draft, kind, formal)
        elif first is None:
            first = draft.input(kind=kind)
        else:
            draft.input(fixed(first.dimensions), kind=kind)
    for formal in declaration.outputs:
        draft.output(kind_of(formal), **unbounded())


def _add_scalar(draft: Draft, kind: OperandType, formal: Formal) -> None:
    """Add a random scalar parameter: one of the declared values if there are any, otherwise a small number."""
    if formal.values:
        draft.given(kind, draft.chooser.pick(formal.values))
    elif kind == OperandType.BOOL:
        draft.truth()
    elif kind in (OperandType.INT32, OperandType.UINT32):
        draft.given(kind, draft.chooser.integer(0, _FEW))
    else:
        draft.given(kind, draft.chooser.real(-_LARGEST, _LARGEST))
