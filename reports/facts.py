"""Facts about driver, machine and suite in the header of a log (:func:`log_header`).

The module also groups the machines that measured a benchmark on a cluster, because only latencies of equal machines can
be compared.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil
from msgspec.structs import replace

from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import type_name
from nnvet.hal.types import Capabilities, DeviceType, PerformanceInfo
from nnvet.reports.events import DriverFacts, Machine, Measurement, Performance, RunStarted

CPU_FACTS: Final = Path("/proc/cpuinfo")
"""File of the kernel with the name of the processor."""
GOVERNOR: Final = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
"""File of the kernel with the governor of the first processor's clock."""

# A driver may answer with an unknown number instead of a device type.
_TYPE_NAMES: Final[dict[int, str]] = {kind: kind.name for kind in DeviceType}


DRIVER_FACTS: Final[Mapping[str, Callable[[Device], Any]]] = {
    "name": lambda device: device.name,
    "version": lambda device: device.get_version_string(),
    "type": lambda device: _TYPE_NAMES.get(device.get_type(), f"type {device.get_type()}"),
    "feature_level": lambda device: int(device.get_feature_level()),
    "extensions": lambda device: tuple(extension.name for extension in device.get_supported_extensions()),
    "capabilities": lambda device: named_performance(device.get_capabilities()),
}
"""Queries of a device, by field of :class:`nnvet.reports.events.DriverFacts`; each may raise HalError."""


def driver_facts(selector: str, device: Device) -> DriverFacts:
    """Return the facts that ``device`` states about itself.

    :raises HalError: the driver refuses to say.
    """
    return DriverFacts(selector, **{name: query(device) for name, query in DRIVER_FACTS.items()})


def log_header(driver: DriverFacts, machine: Machine | None = None, **fields: Any) -> RunStarted:
    """Return the first event of a log that this suite begins now, on this machine if none is given.

    ``fields`` are fields of the event that describe the run.
    """
    moment = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    return RunStarted(version("nnvet"), driver, moment, machine or machine_facts(), **fields)


def machine_facts() -> Machine:
    """Return the machine that this process runs on."""
    return Machine(
        cpu=_cpu_model(),
        cores=os.cpu_count() or 0,
        memory_bytes=psutil.virtual_memory().total,
        kernel=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        numpy=np.__version__,
        governor=_governor(),
        load=_load(),
    )


def named_performance(capabilities: Capabilities) -> dict[str, Performance]:
    """Return the performance figures of a device's capabilities by operand type and purpose."""
    named: dict[str, PerformanceInfo] = {
        "relaxed float32 scalar": capabilities.relaxed_float32_to_float16_performance_scalar,
        "relaxed float32 tensor": capabilities.relaxed_float32_to_float16_performance_tensor,
        "IF": capabilities.if_performance,
        "WHILE": capabilities.while_performance,
    } | {type_name(entry.type): entry.info for entry in capabilities.operand_performance}
    return {name: Performance(info.exec_time, info.power_usage) for name, info in named.items()}


def _governor() -> str:
    """Return the frequency governor of the first processor; empty in most virtual machines."""
    try:
        return GOVERNOR.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _load() -> float | None:
    """Return the mean number of running processes in the last minute."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def _cpu_model() -> str:
    """Return the kernel's name of the processor; not every architecture has one."""
    try:
        lines = CPU_FACTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


@dataclass(frozen=True)
class MeasuredPlace:
    """A kind of machine, with the workers on such machines and the models that they have measured."""

    machine: Machine
    workers: tuple[str, ...]
    models: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the machine in words."""
        machine = self.machine
        parts = [
            machine.cpu or "a processor that does not say what it is",
            f"{machine.cores} cores",
            f"{machine.memory_bytes / 2**30:.0f} GiB",
            machine.kernel,
            f"governor {machine.governor}" if machine.governor else "",
        ]
        return ", ".join(filter(None, parts))


def places_of(measurements: Iterable[Measurement]) -> list[MeasuredPlace]:
    """Return the machines that measured models, by kind, in the order of the log; none if no cluster was used."""
    workers: defaultdict[Machine, dict[str, None]] = defaultdict(dict)
    models: defaultdict[Machine, dict[str, None]] = defaultdict(dict)
    for measurement in measurements:
        if measurement.machine is not None:
            kind = replace(measurement.machine, load=None)
            workers[kind][measurement.worker] = None
            models[kind][measurement.model] = None
    return [MeasuredPlace(kind, tuple(workers[kind]), tuple(models[kind])) for kind in workers]


def places_in_words(measurements: Iterable[Measurement]) -> list[str]:
    """Return a line for each kind of machine; with several kinds, first a warning that latencies cannot be compared."""
    places = places_of(measurements)
    lines = [
        f"Measured on {place.text}: {len(place.models)} model{'s' * (len(place.models) != 1)} "
        f"by {', '.join(place.workers)}"
        for place in places
    ]
    unlike = f"Models were measured on {len(places)} kinds of machines: their latencies do not compare"
    return [unlike, *lines] if len(places) > 1 else lines
