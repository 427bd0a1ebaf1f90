"""The extensions that are known by name: those that installed packages register, ours among them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.operand_types import ExtensionCode, ExtensionType

ENTRY_POINTS = "nnvet.extensions"
"""Group of the entry points that name an :class:`nnvet.hal.extensions.ExtensionDeclaration` each."""


@cache
def known_extensions() -> dict[str, ExtensionDeclaration]:
    """All known extensions by name.

    :raises ValueError: two packages declare the same extension.
    :raises TypeError: an entry point is no declaration.
    """
    known: dict[str, ExtensionDeclaration] = {}
    for point in entry_points(group=ENTRY_POINTS):
        declaration = point.load()
        if not isinstance(declaration, ExtensionDeclaration):
            raise TypeError(f"entry point {point.name!r} ({point.value}) is no ExtensionDeclaration")
        if known.setdefault(declaration.name, declaration) is not declaration:
            raise ValueError(f"extension {declaration.name!r} is declared twice, the second time by {point.value}")
    return known


def known_types() -> dict[str, ExtensionType]:
    """Operand types of all known extensions by their names, ``EXTENSION::NAME``."""
    return {code.name: code for extension in known_extensions().values() for code in extension.operand_types}


def known_operations() -> dict[str, ExtensionCode]:
    """Operations of all known extensions by their names, ``EXTENSION::NAME``."""
    return {code.name: code for extension in known_extensions().values() for code in extension.operation_types}
