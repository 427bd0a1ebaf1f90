"""Plug-in providers of ONNX Runtime: libraries of accelerators' vendors that are loaded beside it.

A library is registered once per process, under a name, and offers devices; a session gets one of them with options.
ONNX Runtime passes unknown options on without a message, and providers ignore them. So options are checked here: the
file of a library that reads an option contains the option's name as text.

Source: ONNX Runtime's documentation, "Plugin Execution Provider Libraries".
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import onnxruntime

from nnvet.adapters.selector import SelectorError

_QNN: Final = "qnn"
_COMPUTING: Final = {"htp": "libQnnHtp.so", "gpu": "libQnnGpu.so", "cpu": "libQnnCpu.so"}
"""Back ends of Qualcomm's provider that compute, and their libraries."""
_WRITING: Final = ("saver", "ir")
"""Back ends that write files; they claim nodes and return zeros."""
_SOC_MODEL: Final = "57"
"""Default chip of the simulator, SM8650; the simulator's own default is a generation that lacks operations."""


@dataclass(frozen=True)
class Plugin:
    """A device of a registered library, and the options that a session on it needs by default.

    ``name`` is that of the provider. ``version`` names library and release, with a comma in front, to be added to
    the version of ONNX Runtime. If the device ``computes_halves``, it computes 32-bit floats as 16-bit ones.
    """

    name: str
    library: Path
    device: Any
    version: str
    defaults: Mapping[str, str] = field(default_factory=dict)
    computes_halves: bool = False

    def with_options(self, options: Mapping[str, str]) -> dict[str, str]:
        """Return the options of a session: the defaults, and these in addition or instead.

        :raises SelectorError: the library does not know one of them.
        """
        content = self.library.read_bytes()
        unknown = [name for name in options if name.encode() not in content]
        if unknown:
            raise SelectorError(
                f"driver 'onnxruntime': {', '.join(unknown)}: {self.library.name} contains no option of this name, "
                "and would ignore it"
            )
        return {**self.defaults, **options}


def open_plugin(options: dict[str, str]) -> Plugin:
    """Remove ``library``, ``device`` and ``backend`` from the options, register the library and choose its device.

    ``library`` is a file, or ``qnn`` for that of the package onnxruntime-qnn; ``device`` is a number or a type such as
    npu, if the library offers several.

    :raises SelectorError: it cannot be loaded, or offers no such device.
    """
    library = _find(options.pop("library"))
    is_qnn = _QNN in library.name.lower()
    defaults = _qnn_defaults(library, options) if is_qnn else {}
    name = _QNN.upper() if is_qnn else library.stem.removeprefix("lib")
    try:
        if not _devices(name):
            onnxruntime.register_execution_provider_library(name, str(library))
    except Exception as error:
        raise SelectorError(f"driver 'onnxruntime': {library} is no plug-in provider: {str(error).strip()}") from error
    device = _choose(name, library, options.pop("device", ""))
    version = device.ep_metadata.get("version", "")
    computes_halves = {**defaults, **options}.get("backend_path", "").endswith(_COMPUTING["htp"])
    return Plugin(name, library, device, f", {library.name} {version}".rstrip(), defaults, computes_halves)


def _find(text: str) -> Path:
    """Return the file of the option ``library``.

    :raises SelectorError: there is no such file or package.
    """
    if text == _QNN:
        try:
            return Path(importlib.import_module("onnxruntime_qnn").get_library_path())
        except ImportError as error:
            advice = "install it with: pip install 'nnvet[qnn]'"
            raise SelectorError(f"driver 'onnxruntime:library=qnn': {error}; {advice}") from error
    if not Path(text).is_file():
        raise SelectorError(f"driver 'onnxruntime:library={text}': there is no such file")
    return Path(text).resolve()


def _qnn_defaults(library: Path, options: dict[str, str]) -> dict[str, str]:
    """Remove ``backend`` from the options, and return defaults for Qualcomm's provider.

    The provider needs them, because it finds no back end itself, and its default chip is old.

    :raises SelectorError: the back end is unknown, missing, or only writes files.
    """
    kind = options.get("backend_type", "")
    chosen = options.pop("backend", "") or kind
    path = options.get("backend_path", "")
    if chosen in _WRITING or any(f"qnn{back_end}" in path.lower() for back_end in _WRITING):
        raise SelectorError("driver 'onnxruntime': this back end writes files and computes nothing: its results are 0")
    if chosen and chosen not in _COMPUTING:
        raise SelectorError(f"driver 'onnxruntime': backend is {chosen!r}; choose {', '.join(_COMPUTING)}")
    defaults = {"soc_model": _SOC_MODEL}
    if not path:
        options.pop("backend_type", None)
        file = library.parent / _COMPUTING[chosen or "htp"]
        if not file.is_file():
            raise SelectorError(f"driver 'onnxruntime': {file} is not there; give backend_path=LIB.so")
        defaults["backend_path"] = str(file)
    return defaults


def _devices(name: str) -> list[Any]:
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == name]


def _choose(name: str, library: Path, wanted: str) -> Any:
    """Return the device with a number, or the first one of a type; without either the first one.

    :raises SelectorError: there is no such device.
    """
    offered = _devices(name)
    if not offered:
        raise SelectorError(f"driver 'onnxruntime': {library.name} offers no device on this machine")
    kinds = [device.device.type.name.lower() for device in offered]
    if wanted.isdecimal() and int(wanted) < len(offered):
        return offered[int(wanted)]
    if wanted in kinds:
        return offered[kinds.index(wanted)]
    if wanted:
        listed = ", ".join(f"{number}: {kind}" for number, kind in enumerate(kinds))
        raise SelectorError(f"driver 'onnxruntime': {library.name} offers no device {wanted!r}; it offers {listed}")
    return offered[0]
