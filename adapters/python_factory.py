"""The kind ``python``: drivers made by a function or class, the factory, in a module or a file.

:func:`create` finds the factory and calls it; the table of all kinds in :mod:`nnvet.adapters.selector` names it, so
that the service process calls it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

from nnvet.adapters.selector import SelectorError, describe
from nnvet.hal.interfaces import Device

_NAMED: Final = 5
"""Most names that a message lists."""


def create(arguments: str) -> Device:
    """Call the factory of ``PACKAGE.MODULE:FACTORY`` or ``path/to/file.py:FACTORY`` without arguments.

    :raises SelectorError: if module or factory cannot be found or imported.
    """
    place, _, name = arguments.rpartition(":")
    if not place or not name.isidentifier():
        raise SelectorError(f"driver 'python:{arguments}': write python:MODULE:FACTORY or python:FILE.py:FACTORY")
    try:
        device: Device = _find_factory(place, name)()
    except SelectorError as error:
        raise SelectorError(f"driver 'python:{arguments}': {error}") from error
    except Exception as error:
        raise SelectorError(f"driver 'python:{arguments}': {describe(error)}") from error
    return device


def _find_factory(place: str, name: str) -> Callable[[], Device]:
    module = _load_file(Path(place)) if place.endswith(".py") else _load_module(place)
    factory: Callable[[], Device] | None = getattr(module, name, None)
    if not callable(factory):
        raise SelectorError(f"{place} has no function or class {name!r}{_list_names(module)}")
    return factory


def _list_names(module: ModuleType) -> str:
    """Return the end of a message: names that the module itself defines, one of which could be meant."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return f"; it has {', '.join(own[:_NAMED])}" if own else ""


def _load_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        advice = "install it, put its folder on PYTHONPATH, or write python:FILE.py:FACTORY"
        raise SelectorError(f"module {name!r} cannot be imported: {describe(error)}; {advice}") from error


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise SelectorError(f"there is no file {path.absolute()}")
    sys.meta_path.append(_Neighbours(path.parent.absolute()))
    name = f"nnvet_driver_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SelectorError(f"{path} is no Python source file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SelectorError(f"{path} cannot be imported: {describe(error)}") from error
    return module


class _Neighbours(MetaPathFinder):
    """Finder of modules beside a driver's file. Python asks this finder last, so that these modules hide no others.

    An entry of ``sys.path`` would come before editable installations.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a top-level module in the folder."""
        return PathFinder.find_spec(fullname, [self._folder], target) if path is None else None
