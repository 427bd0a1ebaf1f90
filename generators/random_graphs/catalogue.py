"""All signatures, collected from the families, and the tests that are made from them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache

from nnvet.generators.random_graphs import extensions, families
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import OperandType


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
    found |= {signature.name: signature for signature in extensions.signatures_of_extensions()}
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
