"""Findings are made small on workers, where the driver is; their files are kept here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from distributed import Future

from nnvet.conformance.cluster.fleet import Fleet
from nnvet.fuzz.cluster.host import finish_finding
from nnvet.fuzz.cluster.task import Found, SmallFinding
from nnvet.fuzz.findings import INPUT, read_saved
from nnvet.fuzz.finishing import MOST
from nnvet.fuzz.runner import FINDINGS, FuzzingJob

_SECONDS: Final = 300.0
"""For all of them together; what is not small by then stays as it is."""


def finish_elsewhere(fleet: Fleet, job: FuzzingJob, name: str, workers: Sequence[str]) -> dict[str, Path]:
    """Make what job ``name`` has found small; the specs of what could be reduced, by the key of the finding.

    What a worker cannot finish stays as it is.

    :raises OSError: files cannot be written.
    """
    harnesses = {harness.name for harness in job.harnesses}
    found = [(known, folder) for known, folder in read_saved(job.out / FINDINGS) if known.harness in harnesses][:MOST]
    out: dict[Future[Any], tuple[str, Path]] = {}
    for known, folder in found if workers else ():
        task = Found(known, (folder / INPUT).read_bytes())
        future = fleet.submit(finish_finding, name, task, key=f"{name}-{uuid4().hex[:12]}", workers=workers)
        out[future] = known.key, folder
    specs: dict[str, Path] = {}
    end = time.monotonic() + _SECONDS
    try:
        for future, (key, folder) in out.items():
            small = _result(future, end - time.monotonic())
            if small is not None:
                _write(small, folder, job.out)
                if small.spec is not None:
                    specs[key] = job.out / small.spec
    finally:
        fleet.client.cancel(list(out), force=True)
    return specs


def _result(future: Future[Any], seconds: float) -> SmallFinding | None:
    try:
        answer: SmallFinding = future.result(timeout=max(0.0, seconds))
    # Whatever a worker raises reaches us as it is; a finding is one all the same.
    except Exception:  # noqa: BLE001 - see above
        return None
    return answer


def _write(small: SmallFinding, folder: Path, out: Path) -> None:
    contents = {folder / INPUT: small.data, **{out / name: data for name, data in small.files.items()}}
    for path, data in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
