"""Planted bugs in the handling of vendor extensions, and in the device's answers about itself.

Each decorated function makes one wrong driver; :mod:`nnvet.reference_driver.zoo.registry` explains the decorator.
"""

from __future__ import annotations

from itertools import count

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.interfaces import Device
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
    """State elements of four bytes, although the declaration has eight."""

    class Halves(FullDevice):
        def get_supported_extensions(self) -> tuple[hal.Extension, ...]:
            """Return types with half of their size."""
            return tuple(_halved(extension) for extension in super().get_supported_extensions())

    return Halves()


def _halved(extension: hal.Extension) -> hal.Extension:
    types = (replace(kind, byte_size=kind.byte_size // 2) for kind in extension.operand_types)
    return replace(extension, operand_types=tuple(types))


@bug(
    "extension-claims-unknown",
    "Operations of extensions that nobody knows are supported.",
    rules=("extension/unknown",),
    breaks=("ExtensionTest/UnknownExtension/*",),
)
def extension_claims_unknown() -> Device:
    """Claim operations of unknown extensions."""

    class Claims(FullDevice):
        def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
            """Return True for operations of extensions that are not the driver's."""
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
    """Know an extension only by the prefix of its declaration."""

    class Rigid(FullDevice):
        def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
            """Return False if a model has chosen another prefix."""
            answers = super().get_supported_operations(model)
            moved = any(entry.prefix != TENSOR_FIXED64.prefix for entry in model.extension_name_to_prefix)
            return (False,) * len(answers) if moved else answers

    return Rigid()


_CAPABILITIES = ("BasicTest/GetCapabilitiesTest",)
"""The case of the capabilities of a device."""


def _capable(capabilities: hal.Capabilities) -> Device:
    device = FullDevice()
    device.capabilities = capabilities
    return device


@bug(
    "capabilities-free",
    "Everything costs no time at all.",
    rules=("device/capabilities.positive",),
    breaks=_CAPABILITIES,
)
def capabilities_free() -> Device:
    """State an execution time of 0."""
    return _capable(replace(FullDevice().capabilities, if_performance=hal.PerformanceInfo(0.0, 1.0)))


@bug(
    "capabilities-unsorted",
    "Performances are listed with the highest type first.",
    rules=("device/capabilities.order",),
    breaks=_CAPABILITIES,
)
def capabilities_unsorted() -> Device:
    """List the right entries in the wrong order."""
    known = FullDevice().capabilities
    return _capable(replace(known, operand_performance=known.operand_performance[::-1]))


@bug(
    "capabilities-double",
    "A type is listed twice, which VTS does not see.",
    rules=("device/capabilities.order",),
    breaks=_CAPABILITIES,
)
def capabilities_double() -> Device:
    """List a type twice."""
    known = FullDevice().capabilities
    return _capable(replace(known, operand_performance=(known.operand_performance[0], *known.operand_performance)))


@bug(
    "capabilities-moody",
    "Performance is another one at every call.",
    rules=(
        "device/constant",
        "device/restart",
    ),
    breaks=(*_CAPABILITIES, "RestartTest/Queries"),
)
def capabilities_moody() -> Device:
    """Change the answers that clients ask for once and keep."""

    class Moody(FullDevice):
        calls = count(1)

        def get_capabilities(self) -> hal.Capabilities:
            """State a slower performance at each call."""
            return replace(self.capabilities, while_performance=hal.PerformanceInfo(float(next(self.calls)), 1.0))

    return Moody()


@bug(
    "version-empty",
    "The version string is empty.",
    rules=("device/version",),
    breaks=("BasicTest/GetDeviceVersionStringTest",),
)
def version_empty() -> Device:
    """State an empty version."""

    class Nameless(FullDevice):
        def get_version_string(self) -> str:
            """Return an empty text."""
            return ""

    return Nameless()


@bug("name-padded", "The name ends with a space.", rules=("device/name",), breaks=("BasicTest/GetDeviceNameTest",))
def name_padded() -> Device:
    """State a name with spaces around it."""
    device = FullDevice()
    device.name = "nnvet-zoo "
    return device


@bug(
    "cache-files-many",
    "Caching needs 33 model cache files.",
    rules=(
        "cache/files.count",
        "device/cache_files",
    ),
    breaks=(
        "BasicTest/getNumberOfCacheFilesNeeded",
        "CompilationCaching*",
        # A deadline that has passed is answered before the files are counted.
        "DeadlineTest/PrepareModelFromCache/NONE",
        "DeadlineTest/PrepareModelFromCache/UNLIMITED",
        "DeadlineTest/PrepareModelFromCacheNegative",
    ),
)
def cache_files_many() -> Device:
    """Ask for one cache file more than clients can give."""

    class Greedy(FullDevice):
        def get_number_of_cache_files_needed(self) -> hal.NumberOfCacheFiles:
            """Return a number above the limit."""
            return hal.NumberOfCacheFiles(hal.MAX_NUMBER_OF_CACHE_FILES + 1, 1)

    return Greedy()


@bug("type-unknown", "The device type is UNKNOWN.", rules=("device/type",), breaks=("BasicTest/GetDeviceTypeTest",))
def type_unknown() -> Device:
    """State the type UNKNOWN, which only clients may use."""
    device = FullDevice()
    device.device_type = hal.DeviceType.UNKNOWN
    return device


@bug(
    "extension-shouts",
    "An extension has capitals in its name.",
    rules=("device/extensions",),
    breaks=("BasicTest/GetDeviceSupportedExtensionsTest",),
)
def extension_shouts() -> Device:
    """List an extension whose name no model may use."""

    class Shouting(FullDevice):
        def get_supported_extensions(self) -> tuple[hal.Extension, ...]:
            """Return one extension more."""
            return (*super().get_supported_extensions(), hal.Extension("COM.EXAMPLE.loud"))

    return Shouting()
