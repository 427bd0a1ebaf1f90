"""Vendor extensions: their declarations, the list of known ones, and the lookup of their codes in a model.

An :class:`ExtensionDeclaration` declares operand types and operations in the same form as the contract's own. A driver
that names a declaration in ``BaseDevice.extensions`` reports the extension and sees its codes in models. Known
extensions are those that installed packages register, among them nnvet's example, and those of the files and modules
that the environment names. An extension may bring the meaning of its operations; then specs, random models and fuzzing
include them. Source: docs/contract/hal.md 3, 7.2, 10.1.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from nnvet.hal.enums import EXTENSION_TYPE_LOW_BITS_TYPE
from nnvet.hal.operand_types import EXTENSION_NAME, ExtensionCode, ExtensionType, is_extension
from nnvet.hal.types import Extension, ExtensionOperandTypeInformation, Model, Subgraph

if TYPE_CHECKING:
    from nnvet.hal.operations.declaration import OperationDeclaration

ENTRY_POINTS = "nnvet.extensions"
"""Group of the entry points that name an :class:`nnvet.hal.extensions.ExtensionDeclaration` each."""
VARIABLE: Final = "NNVET_EXTENSIONS"
"""Environment variable that names further extensions: files (``*.py``) and modules, separated by ``:``."""


@cache
def known_extensions() -> dict[str, ExtensionDeclaration]:
    """Return all known extensions by name.

    :raises ValueError: two packages declare the same extension.
    :raises TypeError: an entry point is not a declaration.
    :raises ImportError: a module that the environment names cannot be imported, or declares no extension.
    """
    known: dict[str, ExtensionDeclaration] = {}
    for source, declaration in (*_load_installed(), *_load_named()):
        if known.setdefault(declaration.name, declaration) is not declaration:
            raise ValueError(f"extension {declaration.name!r} is declared twice, the second time by {source}")
    return known


def _load_installed() -> Iterator[tuple[str, ExtensionDeclaration]]:
    """Yield the extensions that installed packages register, each with its source for error messages."""
    for point in entry_points(group=ENTRY_POINTS):
        declaration = point.load()
        if not isinstance(declaration, ExtensionDeclaration):
            raise TypeError(f"entry point {point.name!r} ({point.value}) is no ExtensionDeclaration")
        yield point.value, declaration


def _load_named() -> Iterator[tuple[str, ExtensionDeclaration]]:
    """Yield the extensions of the files and modules that the environment names."""
    for source in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        module = _import_file(Path(source)) if source.endswith(".py") else import_module(source)
        found = [value for value in vars(module).values() if isinstance(value, ExtensionDeclaration)]
        if not found:
            raise ImportError(f"{VARIABLE} names {source}, which declares no extension")
        yield from ((source, declaration) for declaration in found)


def _import_file(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{VARIABLE} names {path}, which is no module of Python")
    module = module_from_spec(spec)
    # Pickling refers to the objects of a module by name, so another process finds them in the same module.
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@cache
def every_declaration() -> dict[int, OperationDeclaration]:
    """Return the declarations of the contract, and of all operations of known extensions that have a meaning."""
    from nnvet.hal.operations.catalogue import declarations  # noqa: PLC0415 - few that need extensions need all

    meant = {
        operation.type: operation
        for extension in known_extensions().values()
        for operation in extension.operations
        if operation.type in extension.meanings
    }
    return declarations() | meant


def brought(part: str) -> dict[int, Any]:
    """Return one ``part`` of all known extensions, such as their ``meanings``, by the code of the operation."""
    return {code: value for known in known_extensions().values() for code, value in getattr(known, part).items()}


def claimed_by(runtime: str) -> tuple[tuple[ExtensionDeclaration, ...], list[Any]]:
    """Return the known extensions that have claims of a runtime, and all these claims, for the runtime's table."""
    extensions = tuple(extension for extension in known_extensions().values() if runtime in extension.claims)
    places = (extension.claims[runtime].partition(":") for extension in extensions)
    return extensions, [
        claim for module, _, name in places for claim in getattr(import_module(module), name or "CLAIMS")
    ]


def known_types() -> dict[str, ExtensionType]:
    """Return the operand types of all known extensions by name, ``EXTENSION::NAME``."""
    return {code.name: code for extension in known_extensions().values() for code in extension.operand_types}


def known_operations() -> dict[str, ExtensionCode]:
    """Return the operations of all known extensions by name, ``EXTENSION::NAME``."""
    return {code.name: code for extension in known_extensions().values() for code in extension.operation_types}


_MAX_PREFIX = 0x7FFF
"""Largest prefix of an extension: with 16 low bits, its codes are non-negative numbers of 32 bits."""
_UNKNOWN = 1 << 32
"""Added to codes that no declaration explains, so that they differ from all declared codes."""


@dataclass(frozen=True)
class ExtensionDeclaration:
    """All facts about an extension.

    All codes have one prefix, 1 to 0x7FFF, which tests use; other clients may choose others.

    The mappings have a value for each operation that they describe. ``meanings`` are of type
    :class:`nnvet.oracle.operations.invocation.Meaning`: specs, random models and fuzzing need one. ``bounds`` are of
    :class:`nnvet.oracle.bounds.rule.BoundRule`; without, running error analysis follows the meaning. ``generators``
    fill a :class:`nnvet.generators.random_graphs.draft.Draft` with operands; without, the declaration's own are drawn.
    ``kernels`` are those of the bundled driver (:mod:`nnvet.reference_driver.kernels.registry`).

    ``claims`` names, for runtimes such as "torch", a module whose ``CLAIMS`` are the operations that the runtime
    computes (:class:`nnvet.adapters.runtimes.claims.Claim`); ``module:NAME`` names another list in it. It is imported
    only when the runtime is opened.
    """

    name: str
    operand_types: tuple[ExtensionType, ...]
    operations: tuple[OperationDeclaration, ...]
    meanings: Mapping[int, Any] = field(default_factory=dict, compare=False)
    bounds: Mapping[int, Any] = field(default_factory=dict, compare=False)
    generators: Mapping[int, Any] = field(default_factory=dict, compare=False)
    kernels: Mapping[int, Any] = field(default_factory=dict, compare=False)
    claims: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        """Refuse a declaration that no model could use.

        :raises ValueError: a bad name or prefix, or a code that is not this extension's or not unique.
        """
        if not EXTENSION_NAME.fullmatch(self.name):
            raise ValueError(f"extension name {self.name!r}: lower-case letters, digits, '_' and at least one '.'")
        for codes in (self.operand_types, self.operation_types):
            if any(code.extension != self.name for code in codes):
                raise ValueError(f"a code of extension {self.name!r} was made for another one")
            if len(set(codes)) != len(codes) or len({code.name for code in codes}) != len(codes):
                raise ValueError(f"two codes of extension {self.name!r} are equal")
        for part in ("meanings", "bounds", "generators", "kernels"):
            if strange := set(getattr(self, part)).difference(self.operation_types):
                raise ValueError(f"{part} of extension {self.name!r} are of no operation of it: {sorted(strange)}")
        if len({code.prefix for code in self.codes}) != 1 or not 0 < self.prefix <= _MAX_PREFIX:
            raise ValueError(f"the codes of extension {self.name!r} must have one prefix from 1 to {_MAX_PREFIX:#x}")

    @property
    def operation_types(self) -> tuple[ExtensionCode, ...]:
        """Codes of the declared operations, in order, without those of types."""
        return tuple(operation.type for operation in self.operations if isinstance(operation.type, ExtensionCode))

    @property
    def codes(self) -> tuple[ExtensionCode, ...]:
        """Codes of all operand types and operations."""
        return (*self.operand_types, *self.operation_types)

    @property
    def prefix(self) -> int:
        """High bits of all codes."""
        return self.codes[0].prefix

    @property
    def published(self) -> Extension:
        """Return the extension as getSupportedExtensions describes it."""
        infos = ((code.number, code.info) for code in self.operand_types)
        return Extension(
            self.name,
            tuple(ExtensionOperandTypeInformation(number, info.is_tensor, info.size) for number, info in infos),
        )


def resolved(model: Model, extensions: Sequence[ExtensionDeclaration]) -> Model:
    """Return the model with codes of ``extensions`` as they are declared, instead of the model's own prefixes.

    Codes without a declaration remain codes of an extension, and differ from all declared ones.
    """
    if not any(_uses_extensions(subgraph) for subgraph in (model.main, *model.referenced)):
        return model
    known = {extension.name: extension for extension in extensions}
    given = [(entry.prefix, known[entry.name]) for entry in model.extension_name_to_prefix if entry.name in known]
    types: dict[int, ExtensionCode] = {}
    operations: dict[int, ExtensionCode] = {}
    for prefix, extension in given:
        types |= _index_codes(prefix, extension.operand_types)
        operations |= _index_codes(prefix, extension.operation_types)
    return replace(
        model,
        main=_resolve_subgraph(model.main, types, operations),
        referenced=tuple(_resolve_subgraph(subgraph, types, operations) for subgraph in model.referenced),
    )


def with_known_extensions(model: Model) -> Model:
    """Return the model with the codes of all known extensions as they are declared."""
    return resolved(model, tuple(known_extensions().values())) if model.extension_name_to_prefix else model


def _index_codes(prefix: int, codes: Iterable[ExtensionCode]) -> dict[int, ExtensionCode]:
    """Return codes by the numbers that they have under a model's own prefix."""
    return {prefix << EXTENSION_TYPE_LOW_BITS_TYPE | code.number: code for code in codes}


def _uses_extensions(subgraph: Subgraph) -> bool:
    codes = [operand.type for operand in subgraph.operands]
    codes += [operation.type for operation in subgraph.operations]
    return is_extension(max(codes, default=0))


def _resolve_subgraph(
    subgraph: Subgraph, types: Mapping[int, ExtensionCode], operations: Mapping[int, ExtensionCode]
) -> Subgraph:
    def declared(code: int, codes: Mapping[int, ExtensionCode]) -> int:
        return codes.get(code, code + _UNKNOWN) if is_extension(code) else code

    return replace(
        subgraph,
        operands=tuple(replace(operand, type=declared(operand.type, types)) for operand in subgraph.operands),
        operations=tuple(
            replace(operation, type=declared(operation.type, operations)) for operation in subgraph.operations
        ),
    )
