"""The command ``nnvet export-driver``: drivers as a shared library of the NNAPI's C API."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nnvet.commands.options import CommandError


def write_library(drivers: Sequence[str], out: Path) -> None:
    """Build the library ``out``, whose devices are the drivers.

    :raises CommandError: it cannot be built here, or there is no such driver.
    """
    try:
        from nnvet.adapters.nnapi.exported.building import ExportError, export_drivers
    except ModuleNotFoundError as error:
        raise CommandError(f"there is no {error.name}; install it with: pip install 'nnvet[ndk]'") from error
    try:
        export_drivers(drivers, out)
    except ExportError as error:
        raise CommandError(str(error)) from error
