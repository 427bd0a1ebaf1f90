"""Models that are to be executed again and again: their operations are put together, if numba is installed."""

from __future__ import annotations

import importlib
import importlib.util
import logging
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np

from nnvet.hal.enums import NO_DEADLINE, ExecutionPreference
from nnvet.hal.types import PrepareModelConfig
from nnvet.reference_driver.compiled import CompiledModel
from nnvet.reference_driver.fused import stamp
from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.fused.program import STEPS, Fusion, Loop

_MACHINE: Final = "nnvet.reference_driver.fused.machine"
_log = logging.getLogger(__name__)


def fuse(compiled: CompiledModel, config: PrepareModelConfig) -> None:
    """Have operations of the main subgraph put together, if the client wants many frames in a row fast.

    That is what SUSTAINED_SPEED asks for: then the time to load the machine code, seconds if it has to be made first,
    is well spent. A client with a deadline has no such time.
    """
    if config.preference != ExecutionPreference.SUSTAINED_SPEED or config.deadline_ns != NO_DEADLINE:
        return
    known = [step.operation.type in STEPS for step in compiled.main.operations]
    if not any(first and second for first, second in pairwise(known)):
        return
    loop = load()
    if loop is not None:
        compiled.main.fused = Fusion(loop)


def make_ready() -> None:
    """Have the machine code on the disk, so that no client waits for its making; not where it cannot be kept."""
    if importlib.util.find_spec("numba") is None or stamp.is_there():
        return
    with stamp.only_maker() as is_ours:
        # Several services that start together need it made once; who is asked for it meanwhile makes it, too.
        if is_ours:
            _make()


def _make() -> None:
    try:
        machine = importlib.import_module(_MACHINE)
    except Exception:  # noqa: BLE001 - as in load(), which says it when the machine code is wanted
        return
    folder = machine.run.stats.cache_path
    if folder and load() is not None:
        stamp.note(folder)


@cache
def load() -> Loop | None:
    """The compiled function, or None if this machine cannot have it: operations are done one by one then."""
    try:
        loop: Loop = importlib.import_module(_MACHINE).run
        nothing = (np.zeros(t.WIDE, dtype) for dtype in (np.float32, np.float32, np.float64, np.int64))
        loop(np.zeros((0, t.COLUMNS), np.int64), *nothing)
    except ImportError as error:
        _log.info("operations are not put together: %s", error)
    except Exception:  # noqa: BLE001 - see below
        # Another numba, an odd processor, no place for its files: kernels do the work.
        _log.warning("operations are not put together", exc_info=True)
    else:
        return loop
    return None
