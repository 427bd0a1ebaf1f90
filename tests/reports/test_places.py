"""Machines of a benchmark on a cluster, in words."""

from __future__ import annotations

from nnvet.reports.events import Machine, Measurement
from nnvet.reports.facts import places_in_words, places_of

FAST = Machine(cpu="Fast", cores=8, memory_bytes=16 * 2**30, kernel="Linux 6.1", governor="performance")
SLOW = Machine(cpu="Slow", cores=2, memory_bytes=4 * 2**30, kernel="Linux 6.1")


def measured(model: str, machine: Machine | None, worker: str = "") -> Measurement:
    """A measurement on a machine."""
    return Measurement(model, "nnvet:reference", worker=worker, machine=machine)


def test_machines_of_one_kind_are_one_place() -> None:
    """Their load differs all the time."""
    busy = Machine("Fast", 8, 16 * 2**30, "Linux 6.1", governor="performance", load=3.0)
    measurements = [measured("a", FAST, "one"), measured("b", busy, "two"), measured("c", FAST, "one")]
    (place,) = places_of(measurements)
    assert (place.workers, place.models) == (("one", "two"), ("a", "b", "c"))
    text = "Fast, 8 cores, 16 GiB, Linux 6.1, governor performance"
    assert places_in_words(measurements) == [f"Measured on {text}: 3 models by one, two"]


def test_machines_of_several_kinds_do_not_compare() -> None:
    """That comes first."""
    lines = places_in_words([measured("a", FAST, "one"), measured("b", SLOW, "two")])
    assert lines[0] == "Models were measured on 2 kinds of machines: their latencies do not compare"
    assert lines[2] == "Measured on Slow, 2 cores, 4 GiB, Linux 6.1: 1 model by two"


def test_without_a_cluster_nothing_is_said() -> None:
    """The head of the report has the machine."""
    assert places_in_words([measured("a", None)]) == []
