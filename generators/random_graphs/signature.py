"""Signatures: operations with the types and ranks that they have in random graphs, and the functions that build them.

The modules in ``families/`` make a table of signatures each, with :func:`signatures` for those that CTS (Android's
Compatibility Test Suite) has, and with :data:`further` for all others; ``catalogue.py`` collects them. Types and levels
come from the operations' declarations, and the arguments of the two functions restrict them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import cast

from nnvet.generators.random_graphs.draft import Draft
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.extensions import every_declaration
from nnvet.hal.levels import version_name
from nnvet.hal.operand_types import is_extension
from nnvet.hal.operations.catalogue import declarations

Build = Callable[[Draft], None]
"""Function that adds the operands of an operation to its draft."""
LAST_LEVEL = FeatureLevel.FL4
"""HAL 1.3, the last level of the signatures of CTS."""


@dataclass(frozen=True)
class OperationSignature:
    """An operation with one list of operands, the types and ranks that its first operand may have, and its builder.

    ``variant`` names the list of operands if the operation has several. ``level`` is the feature level of the HAL
    version that introduced the types for it. ``operation`` is an ``ExtensionCode`` if the operation belongs to an
    extension. CTS's tests of random graphs contain exactly the signatures with ``in_cts``; random graphs contain only
    signatures with ``in_graphs``.
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
    """Yield a signature for each HAL version that introduces types, from the rows of the operation's declaration.

    ``variant`` names this list of operands. It exists from level ``since`` on. ``where`` restricts the rows to those
    with these types of variables, ``without`` excludes types of the first variable, and ``only`` restricts the levels.
    ``again`` has types for which a later level relaxes the rules: they get a signature of that level, too.
    """
    types: dict[int, list[OperandType]] = {level: list(kinds) for level, kinds in again.items()}
    # Extensions may import this module, so they are loaded only for their own operations.
    declared = every_declaration() if is_extension(operation) else declarations()
    for row in declared[operation].rows:
        # A type of an extension is declared like the others, but is no member of the enumeration.
        kind, level = cast("OperandType", next(iter(row.types.values()))), max(row.level, since)
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
