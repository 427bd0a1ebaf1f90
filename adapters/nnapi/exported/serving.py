"""Entry point of an exported library in the process that has loaded it: creates drivers, serves functions.

The C code that :mod:`nnvet.adapters.nnapi.exported.building` has written calls :func:`serve` once, when a client calls
the first function of the library.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

from nnvet.adapters.nnapi.exported import descriptions, execution, memories, model, running
from nnvet.adapters.nnapi.exported.calling import Caller
from nnvet.adapters.nnapi.exported.compilation import ClientCompilation, compilation_functions, support_functions
from nnvet.adapters.nnapi.exported.devices import ExportedDevice, check_usable, device_functions
from nnvet.adapters.nnapi.exported.execution import ClientExecution
from nnvet.adapters.nnapi.exported.finishing import finishing_functions, select_visible
from nnvet.adapters.selector import SelectorError, create_device
from nnvet.hal.errors import HalError

KINDS: Final = {
    "Model": model.ClientModel,
    "Compilation": ClientCompilation,
    "Execution": ClientExecution,
    "Event": execution.ClientEvent,
    "Memory": memories.ClientMemory,
    "MemoryDesc": descriptions.ClientDescription,
    "Burst": running.ClientBurst,
    "Device": ExportedDevice,
}
"""The classes of the C API's objects."""


def serve(ffi: Any, library: Any, selectors: Sequence[str]) -> None:
    """Implement all functions of the library, given as ``ffi`` and ``library``, for the drivers of ``selectors``.

    A driver that cannot be created, or does not answer the calls that every client makes, is left out; the reason goes
    to standard error.
    """
    devices = select_visible([device for device in map(_create_exported, selectors) if device is not None])
    caller = Caller(ffi, library, KINDS)
    for functions in (
        device_functions(devices),
        finishing_functions(devices),
        compilation_functions(devices),
        support_functions(ffi),
        *(module.FUNCTIONS for module in (memories, model, execution, running, descriptions)),
    ):
        caller.export(functions)


def _create_exported(selector: str) -> ExportedDevice | None:
    """Return the driver of a selector as a device; None, after a message on standard error, if it cannot be used."""
    try:
        device = ExportedDevice(create_device(selector))
        check_usable(device)
    except (SelectorError, HalError) as error:
        sys.stderr.write(f"nnvet: {error}\n")
        return None
    return device
