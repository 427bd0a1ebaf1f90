"""The energy that the machine says it has used: counters of the Linux power capping framework, where it has them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_COUNTERS: Final = Path("/sys/class/powercap")
_PACKAGES: Final = "*-rapl:?"
"""Whole processor packages; their parts have a further number."""
_MICRO: Final = 1e-6


class EnergyMeter:
    """Joules of all processor packages together, since some time; whatever else runs on the machine is in it."""

    def __init__(self, counters: dict[Path, float]) -> None:
        """Counters, each with the joules at which it begins anew."""
        self._last = {path: _joules(path) for path in counters}
        self._range = counters

    def used(self) -> float:
        """Joules since the last call, or since the meter was made.

        :raises OSError: a counter cannot be read any more.
        """
        total = 0.0
        for path, last in self._last.items():
            now = _joules(path)
            total += now - last if now >= last else now - last + self._range[path]
            self._last[path] = now
        return total


def energy_meter(folder: Path = _COUNTERS) -> tuple[EnergyMeter | None, str]:
    """The machine's meter; else None and why there is none."""
    packages = sorted(folder.glob(_PACKAGES))
    if not packages:
        return None, f"this machine shows no energy counters ({folder}/{_PACKAGES})"
    try:
        ranges = {package / "energy_uj": _joules(package / "max_energy_range_uj") for package in packages}
        return EnergyMeter(ranges), ""
    except (OSError, ValueError) as error:
        return None, f"the machine's energy counters cannot be read: {error}"


def _joules(file: Path) -> float:
    return int(file.read_text(encoding="ascii")) * _MICRO
