"""The bundled driver with one mutant, imported anew in this process beside the original modules of the suite.

:func:`mutated_driver` makes it for ``sessions.py``. The modules of the driver are compiled again from their sources,
one of them with the mutant; modules of the suite that were imported before keep the unchanged declarations.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from nnvet.hal.interfaces import Device
from tools.mutants.mutant import ROOT, Mutant, mutate

_OF_DRIVER: Final = ("nnvet.hal.operations", "nnvet.hal.validation", "nnvet.driver_kit", "nnvet.reference_driver")
"""Packages whose modules are imported anew. The suite has imported them as well, and keeps using its own copies."""


class _Loader(SourceFileLoader):
    """Loader of a module from code that is compiled already."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - it has the code of one module
        """Return the code with which this loader was made."""
        return self._code


class _Finder(MetaPathFinder):
    """Finder that lets Python import the modules in ``codes`` (path and code by name) from that code."""

    def __init__(self, codes: Mapping[str, tuple[str, CodeType]]) -> None:
        self._codes = codes

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - importlib gives it
        target: ModuleType | None = None,  # noqa: ARG002 - the same
    ) -> ModuleSpec | None:
        """Return the spec of a module of the driver; None for all others."""
        if fullname not in self._codes:
            return None
        file, code = self._codes[fullname]
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, file, code))


@cache
def load_original() -> dict[str, tuple[str, CodeType]]:
    """Return path and code of every module of the driver, by name; to be called before processes are forked.

    All kernels are imported, because the original driver continues to work beside the one with a mutant.
    """
    importlib.import_module("nnvet.reference_driver.device")
    importlib.import_module("nnvet.reference_driver.kernels.registry").kernels()
    modules = {name: module for name, module in sys.modules.items() if name.startswith(_OF_DRIVER)}
    return {
        name: (file, compile(Path(file).read_bytes(), file, "exec"))
        for name, module in modules.items()
        if (file := module.__file__) is not None
    }


def mutated_driver(mutant: Mutant | None) -> Callable[[str], Device]:
    """Import the bundled driver anew, with a mutant; return the function that makes the device of a variant.

    It changes ``sys.modules``, so that it is only for a process that tries one mutant. Every kernel and declaration is
    imported, so that a mutant that cannot be imported shows at once.

    :raises Exception: whatever the import of the mutant raises.
    """
    codes = dict(load_original())
    if mutant is not None:
        name = f"nnvet.{mutant.file.removesuffix('.py').replace('/', '.')}"
        file = str(ROOT / mutant.file)
        tree = mutate(mutant.file, Path(file).read_text(encoding="utf-8"), mutant.number)
        codes[name] = (file, compile(tree, file, "exec"))
    sys.meta_path.insert(0, _Finder(codes))
    for name in codes:
        sys.modules.pop(name, None)
    importlib.import_module("nnvet.hal.operations.catalogue").declarations()
    importlib.import_module("nnvet.reference_driver.kernels.registry").kernels()
    create: Callable[[str], Device] = importlib.import_module("nnvet.reference_driver.device").create
    return create
