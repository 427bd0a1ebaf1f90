"""Machines that measured the models of a benchmark: workers of a cluster are compared only if theirs are alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from nnvet.reports.events import Machine, Measurement


@dataclass(frozen=True)
class MeasuredPlace:
    """Machines that are alike, the workers on them, and the models that these have measured."""

    machine: Machine
    workers: tuple[str, ...]
    models: tuple[str, ...]

    @property
    def text(self) -> str:
        """The machine in words."""
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
    """One line for each kind of machine; first, if there are several, that their latencies do not compare."""
    places = places_of(measurements)
    lines = [
        f"Measured on {place.text}: {len(place.models)} model{'s' * (len(place.models) != 1)} "
        f"by {', '.join(place.workers)}"
        for place in places
    ]
    unlike = f"Models were measured on {len(places)} kinds of machines: their latencies do not compare"
    return [unlike, *lines] if len(places) > 1 else lines
