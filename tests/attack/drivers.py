"""Hostile drivers: the suite tests each in the usual way, and ends with verdicts, a log and an exit code."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import product
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import psutil

from nnvet.conformance.engine.runner import Plan, RunWatcher, execute_plan
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.reports.events import DRIVER_FAULTS, Verdict
from nnvet.reports.log import Log
from tests.attack.apart import attack_apart
from tests.attack.cases import AFTERWARDS
from tests.attack.figures import Attack, Figures

_HOSTILE: Final = Path(__file__).parent / "hostile.py"
_TIMEOUT_S: Final = 2.0
_LIMIT_S: Final = 3600.0
_GONE_S: Final = 10.0
_LOOK_S: Final = 0.05
_MEMORY: Final = 512 << 20
_ALLOWED: Final = {*DRIVER_FAULTS, Verdict.PASS, Verdict.UNSUPPORTED}
_LOST: Final = ("driver/start", "driver/restart")
"""A driver that does not start, whatever is tried: what is left cannot be run."""
_USES: Final = {
    "name": "BasicTest/GetDeviceNameTest",
    "get_version_string": "BasicTest/GetDeviceVersionStringTest",
    "get_type": "BasicTest/GetDeviceTypeTest",
    "get_feature_level": AFTERWARDS,
    "get_capabilities": "BasicTest/GetCapabilitiesTest",
    "get_supported_extensions": "BasicTest/GetDeviceSupportedExtensionsTest",
    "get_number_of_cache_files_needed": "BasicTest/getNumberOfCacheFilesNeeded",
    "get_supported_operations": AFTERWARDS,
    "prepare_model": AFTERWARDS,
    "prepare_model_from_cache": "CompilationCachingTest/CacheSavingAndRetrieval/TENSOR_FLOAT32",
    "allocate": "MemoryDomainAllocateTest/UniqueTokens/TENSOR_FLOAT32",
    "execute": "GeneratedTest/async/add_float_vectors",
    "execute_synchronously": AFTERWARDS,
    "execute_fenced": "GeneratedTest/fenced/add_float_vectors",
    "create_reusable_execution": "GeneratedTest/reusable/add_float_vectors",
    "configure_execution_burst": "GeneratedTest/burst/add_float_vectors",
    "release_memory_resource": "GeneratedTest/burst/add_float_vectors",
    "copy_to": "MemoryDomainTest/sync_device/add_float_vectors",
    "copy_from": "MemoryDomainTest/sync_device/add_float_vectors",
    "get_execution_info": "FenceTest/Info/plain",
}
"""By method a case that calls it."""
_IN_A_METHOD: Final = ("raises", "exits", "answers_wrong", "answers_late")
_EVERYWHERE: Final = ("prints", "forks", "allocates", "closes", "handles_signals", "writes")
_DRIVERS: Final = (
    *((fault, AFTERWARDS) for fault in _EVERYWHERE),
    *((f"{fault}__{method}", _USES[method]) for method, fault in product(_USES, _IN_A_METHOD)),
)
"""Factories of the drivers, with a case in which each is hostile."""


def attack_by_drivers(tries: int, seed: int, folder: Path) -> Figures:
    """Run ``tries`` hostile drivers, in an order of chance, for one case each and one that is the same for all."""
    return attack_apart(_attack, tries, seed, folder, limit_s=_LIMIT_S)


def _attack(tries: int, seed: int, folder: Path) -> Figures:
    figures, ends = Figures(), Counter[str]()
    os.environ["NNVET_DRIVER_STATE"] = str(folder)
    order = random.Random(seed).sample(_DRIVERS, len(_DRIVERS))
    while figures.tried < tries:
        name, case = order[figures.tried % len(order)]
        target = Target(f"python:{_HOSTILE}:{name}", timeout_s=_TIMEOUT_S, memory_limit=_MEMORY)
        only = Selection((case, "BasicTest/GetDeviceTypeTest"))
        log = execute_plan(Plan(target, folder / f"{figures.tried} {name}", selection=only), RunWatcher())
        ends.update(result.verdict for result in log.results.values())
        wrong = _wrong(log) or _left_behind()
        figures.see(wrong and f"{seed}/{figures.tried}, {name}, {case}: {wrong}")
    figures.notes = "of their cases " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(ends.items()))
    return figures


def _wrong(log: Log) -> str:
    verdicts = {result.verdict for result in log.results.values()}
    assert log.finished is not None
    is_lost = any(case.startswith(_LOST) for case in log.results)
    allowed = _ALLOWED | {Verdict.NOT_RUN} if is_lost else _ALLOWED
    if not verdicts <= allowed:
        worst = next(result for result in log.results.values() if result.verdict not in allowed)
        return f"{worst.case} is {worst.verdict}: {worst.reason}"
    if any(not result.rule for result in log.results.values() if result.verdict in DRIVER_FAULTS):
        return "a verdict without a rule"
    conformant = verdicts <= {Verdict.PASS, Verdict.UNSUPPORTED}
    return "" if log.finished.exit_code == int(not conformant) else f"exit code {log.finished.exit_code} for {verdicts}"


def _left_behind() -> str:
    """The processes that are still there, after a while, although the run has ended."""
    end = monotonic() + _GONE_S
    while left := psutil.Process().children(recursive=True):
        if monotonic() > end:
            return f"left behind: {left}"
        sleep(_LOOK_S)
    return ""


DRIVERS: Final = Attack(
    "hostile drivers", attack_by_drivers, 2, len(_DRIVERS), "verdicts, log and exit code; no process stays", 300.0
)
