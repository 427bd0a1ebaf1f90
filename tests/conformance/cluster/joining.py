"""Waits for workers to join; apart from the fixtures, which need not have the extra cluster."""

from __future__ import annotations

from nnvet.conformance.cluster.connect import open_cluster
from tests.conformance.cluster.conftest import Cluster, wait_for


def joined(cluster: Cluster, number: int, *resources: str) -> list[str]:
    """So many workers, as soon as they are there."""
    with open_cluster(cluster.address, resources) as fleet:
        wait_for(lambda: len(fleet.workers()) == number)
        return fleet.require_workers()
