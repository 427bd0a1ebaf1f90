"""Signatures: operations with the types and ranks that they have in random graphs; one table per family.

Types and levels come from the operations' declarations; the tables say what a signature leaves out. Signatures that CTS
does not have are marked by :data:`further`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType

from nnvet.generators.random_graphs.draft import Draft
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.extensions import every_declaration
from nnvet.hal.levels import version_name
from nnvet.hal.operand_types import is_extension
from nnvet.hal.operations.catalogue import declarations

Build = Callable[[Draft], None]
LAST_LEVEL = FeatureLevel.FL4
"""HAL 1.3, the last level of the signatures of CTS."""


@dataclass(frozen=True)
class OperationSignature:
    """One form of an operation. ``level`` is that of the HAL version that introduced the types in this form.

    ``operation`` is an ``ExtensionCode`` if the operation belongs to an extension. CTS's tests of random graphs contain
    exactly the signatures with ``in_cts``; random graphs contain only signatures with ``in_graphs``.
    """

    operation: OperationType
    level: int
    variant: str
    types: tuple[OperandType, ...]
    ranks: tuple[int, ...]
    build: Build
    in_cts: bool = True
    in_graphs: bool = True

    @cached_property
    def name(self) -> str:
        """Return the readable, unique name, such as ``CONV_2D_explicit_layout_V1_2``."""
        return "_".join(part for part in (self.operation.name, self.variant, version_name(self.level)) if part)

    @cached_property
    def test(self) -> str:
        """Return the name of the test of the operation in this version."""
        return f"{self.operation.name}_{version_name(self.level)}"


def signatures(
    operation: OperationType,
    build: Build,
    ranks: Iterable[int] = range(1, 5),
    *,
    variant: str = "",
    since: int = 1,
    where: Mapping[str, OperandType] = MappingProxyType({}),
    without: Collection[OperandType] = (),
    only: Collection[int] = (),
    in_cts: bool = True,
    in_graphs: bool = True,
    again: Mapping[FeatureLevel, tuple[OperandType, ...]] = MappingProxyType({}),
) -> Iterator[OperationSignature]:
    """Yield a signature for each version that has its own types, from the rows of the operation's declaration.

    ``since``: the form needs that level. ``where``: only rows with these types. ``only``: only these levels. ``again``:
    types that a later level accepts in more forms, which that level builds once more.
    """
    types: dict[int, list[OperandType]] = {level: list(kinds) for level, kinds in again.items()}
    # Extensions may import this module, so they are loaded only for their own operations.
    declared = every_declaration() if is_extension(operation) else declarations()
    for row in declared[operation].rows:
        kind, level = OperandType(next(iter(row.types.values()))), max(row.level, since)
        if not where.items() <= row.types.items():
            continue
        if (level <= LAST_LEVEL or not in_cts) and kind not in without and (not only or level in only):
            known = types.setdefault(level, [])
            if kind not in known:
                known.append(kind)
    allowed = tuple(ranks)
    for level, kinds in sorted(types.items()):
        yield OperationSignature(operation, level, variant, tuple(kinds), allowed, build, in_cts, in_graphs)


further = partial(signatures, in_cts=False)
"""Signatures that CTS does not have."""
