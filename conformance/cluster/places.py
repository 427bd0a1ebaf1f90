"""Batches on several machines: bundled specs lie where each has installed nnvet, others at one path on all of them.

Times of a monotonic clock mean nothing elsewhere, so they travel as seconds since the epoch.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.library import BUNDLED_SPECS

_BUNDLED: Final = "bundled:"


def for_any_machine(batch: Batch) -> Batch:
    """The batch with paths that mean the same on every machine."""
    return _changed(batch, _named, time.time() - time.monotonic())


def on_this_machine(batch: Batch) -> Batch:
    """The batch with paths of this machine."""
    return _changed(batch, _found, time.monotonic() - time.time())


def missing(batch: Batch) -> str:
    """The spec file of a batch of this machine, if it is not there; empty: nothing is missing."""
    return "" if batch.file is None or Path(batch.file.path).exists() else batch.file.path


def _changed(batch: Batch, place: Callable[[str], str], later_s: float) -> Batch:
    file, series = batch.file, batch.series
    if file is not None:
        file = replace(file, path=place(file.path), namesakes=tuple(map(place, file.namesakes)))
    if series is not None and series.until is not None:
        series = replace(series, until=series.until + later_s)
    return replace(batch, file=file, series=series)


def _named(path: str) -> str:
    place = Path(path)
    return f"{_BUNDLED}{place.relative_to(BUNDLED_SPECS)}" if place.is_relative_to(BUNDLED_SPECS) else path


def _found(path: str) -> str:
    return str(BUNDLED_SPECS / path.removeprefix(_BUNDLED)) if path.startswith(_BUNDLED) else path
