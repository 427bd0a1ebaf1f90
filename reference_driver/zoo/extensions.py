"""Bugs in what a driver makes of extensions, its own and those of others."""

from __future__ import annotations

from msgspec.structs import replace

from nnvet.hal.interfaces import Device
from nnvet.hal.types import Extension, Model
from nnvet.reference_driver.example_extension import EXAMPLE, TENSOR_FIXED64
from nnvet.reference_driver.zoo.full_device import FullDevice
from nnvet.reference_driver.zoo.registry import bug


@bug(
    "extension-types-wrong",
    "An extension's type has half of its size.",
    rules=("extension/types",),
    breaks=("ExtensionTest/ReportedTypes",),
)
def extension_types_wrong() -> Device:
    """Elements of four bytes, where the declaration has eight."""

    class Halves(FullDevice):
        def get_supported_extensions(self) -> tuple[Extension, ...]:
            """Types of other sizes."""
            return tuple(_halved(extension) for extension in super().get_supported_extensions())

    return Halves()


def _halved(extension: Extension) -> Extension:
    types = (replace(kind, byte_size=kind.byte_size // 2) for kind in extension.operand_types)
    return replace(extension, operand_types=tuple(types))


@bug(
    "extension-claims-unknown",
    "Operations of extensions that nobody knows are supported.",
    rules=("extension/unknown",),
    breaks=("ExtensionTest/UnknownExtension/*",),
)
def extension_claims_unknown() -> Device:
    """Whatever they may be."""

    class Claims(FullDevice):
        def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
            """True, where an extension is not ours."""
            answers = super().get_supported_operations(model)
            strange = any(entry.name != EXAMPLE.name for entry in model.extension_name_to_prefix)
            return (True,) * len(answers) if strange else answers

    return Claims()


@bug(
    "extension-one-prefix",
    "An extension is known under one prefix only.",
    rules=("extension/prefix",),
    breaks=("ExtensionTest/Prefix/*",),
)
def extension_one_prefix() -> Device:
    """That of its declaration."""

    class Rigid(FullDevice):
        def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
            """False, where a model has chosen another prefix."""
            answers = super().get_supported_operations(model)
            moved = any(entry.prefix != TENSOR_FIXED64.prefix for entry in model.extension_name_to_prefix)
            return (False,) * len(answers) if moved else answers

    return Rigid()
