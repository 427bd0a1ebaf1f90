"""Activities of the suite when a fault strikes: commands, each run again and again from the same beginning."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.faults.injector import RUNNER, SERVICE, WORKER

_SPEC: Final = """
for size in (1, 2, 3):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [1.0] * size, b: [1.0] * size}, model=model).DisableLifeTimeVariation()

# More bytes than the first read of a message brings.
a, b = Input("a", ("TENSOR_FLOAT32", [30000])), Output("b", ("TENSOR_FLOAT32", [30000]))
one = Parameter("one", ("TENSOR_FLOAT32", [30000]), [1.0] * 30000)
model = Model("large").Operation("ADD", a, one, 0).To(b)
Example({a: [1.0] * 30000, b: [2.0] * 30000}, model=model).DisableLifeTimeVariation()
"""
_DRIVER: Final = """
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import BasePreparedModel

class Model(BasePreparedModel):
    def compute(self, inputs):
        raise ValueError("a bug")

class Raising(BaseDevice):
    name = "raising"

    def supports(self, model, operation):
        return True

    def compile(self, model, config):
        return Model(model)
"""
_RAISING: Final = "python:MADE/raising.py:Raising"
_WAIVERS: Final = """
[[waiver]]
case = "TestValidation/Compilation/SetPriority"
reason = "a scenario"
expires = 2099-12-31
"""
LENIENT: Final = "zoo:priority-any"
"""Fails the case TestValidation/Compilation/SetPriority, which has to fail whatever strikes."""


_DRIFTING: Final = "zoo:graph-drift"
_DRIFT: Final = "TestRandomGraph/SingleOperationTest.PRELU_V1_2/0"
"""Case that fails, whatever strikes."""


def _empty(out: Path, made: Path) -> None:
    """The command makes the folder itself."""


def kept(out: Path, made: Path) -> None:
    """The results of a whole run."""
    shutil.copytree(made / "whole", out)


def _abandoned(out: Path, made: Path) -> None:
    """A socket that nobody listens on."""
    out.mkdir()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(out / "socket"))


def _broken(out: Path, made: Path) -> None:
    """The beginning of its log as a killed run leaves it: a whole case, and half a line."""
    lines = (made / "whole" / "run.jsonl").read_text().splitlines(keepends=True)
    out.mkdir()
    (out / "run.jsonl").write_text("".join(lines[:4]) + lines[4][:30])


def nnvet(arguments: list[str]) -> int:
    """Exit code of a command."""
    from nnvet.commands.main import main  # noqa: PLC0415 - loaded where it is rewritten

    sys.argv = ["nnvet", *arguments]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _served(arguments: list[str]) -> int:
    """Serve, with two clients at once and a third after them; exit code 9 if the service fails the third."""
    path = Path(arguments[-1])
    path.parent.mkdir(exist_ok=True)
    ended, failed = threading.Event(), []

    def visit(clients: int) -> None:
        from nnvet.adapters import DriverGone, SelectorError, open_driver  # noqa: PLC0415
        from nnvet.hal.errors import HalError  # noqa: PLC0415

        try:
            with ExitStack() as stack:
                drivers = [stack.enter_context(open_driver(f"unix:{path}", timeout_s=5.0)) for _ in range(clients)]
                for driver in drivers:
                    driver.device.get_type()
                    with driver.another_client() as device:
                        device.get_version_string()
        except (DriverGone, SelectorError, HalError, OSError, RuntimeError) as error:
            failed.append(clients)
            sys.stderr.write(f"a client: {error}\n")

    def visitors() -> None:
        # The file is there before the service listens, and may never come.
        while not ended.wait(0.01) and not _listens(path):
            pass
        if not ended.is_set():
            visit(2)
            visit(1)
            os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=visitors)
    thread.start()
    code = nnvet(arguments)
    ended.set()
    thread.join()
    return code or (9 if 1 in failed else 0)


def _as_function(arguments: list[str]) -> int:
    """The suite as a function, whose results are not kept."""
    from nnvet.adapters import SelectorError  # noqa: PLC0415
    from nnvet.conformance.checking import check_driver  # noqa: PLC0415
    from nnvet.reports.log import LogError  # noqa: PLC0415

    driver, only = arguments
    try:
        return check_driver(driver, only=[only]).exit_code
    except (LogError, SelectorError, OSError) as error:
        sys.stderr.write(f"nnvet: {error}\n")
        return 2


def _reduced_and_replayed(arguments: list[str]) -> int:
    """A failure that is reduced, and replayed from the folder in which that is saved."""
    code = nnvet(arguments)
    folders = [*Path(arguments[arguments.index("--out") + 1]).glob("failures/*")]
    replayed = [nnvet(["replay", str(folder), "-d", _DRIFTING, "--in-process"]) for folder in folders]
    # Where nothing was to be saved, nothing can be replayed; the failure that is has to fail again.
    return code or (0 if set(replayed) <= {1} else 2)


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


@dataclass(frozen=True)
class Scenario:
    """A command of ``nnvet``; in ``arguments`` OUT is the folder of its results, MADE what was made for all.

    ``begin`` fills OUT from MADE. Faults strike in processes of the ``roles``. ``code`` is the exit code without them.
    """

    name: str
    arguments: tuple[str, ...]
    roles: tuple[str, ...] = (RUNNER,)
    begin: Callable[[Path, Path], None] = _empty
    code: int = 0
    act: Callable[[list[str]], int] = nnvet

    def command(self, out: Path, made: Path) -> list[str]:
        """The arguments for folders."""
        return [part.replace("OUT", str(out)).replace("MADE", str(made)) for part in self.arguments]

    @property
    def is_repeated(self) -> bool:
        """True if the command runs again after a fault; with processes that would take long."""
        return self.roles == (RUNNER,)


def make(made: Path) -> None:
    """The specs, the driver and the waivers that scenarios use."""
    (made / "specs" / "V1_0").mkdir(parents=True)
    (made / "specs" / "V1_0" / "relu.mod.py").write_text(_SPEC)
    (made / "raising.py").write_text(_DRIVER)
    (made / "waivers.toml").write_text(_WAIVERS)


def only(*globs: str) -> tuple[str, ...]:
    """Options that choose cases."""
    return tuple(part for glob in globs for part in ("--only", glob))


_RUN: Final = ("run", "--timeout", "5", "--out", "OUT")
HERE: Final = (*_RUN, "--in-process")
SPECS: Final = ("--specs", "MADE/specs", *only("GeneratedTest/sync/*"))

WHOLE: Final = Scenario("a whole run", (*HERE, *SPECS))
"""Its results are ``MADE/whole``."""

IN_PROCESS: Final = (
    WHOLE,
    Scenario("a run with a trace", (*HERE, "--trace", "OUT.trace", *SPECS)),
    Scenario("a run continued", (*HERE, "--resume", *SPECS), begin=_broken),
    Scenario("reports of a log", ("report", "OUT/run.jsonl", "--out", "OUT/again"), begin=kept),
    Scenario("two logs compared", ("diff", "OUT/run.jsonl", "MADE/whole/run.jsonl"), begin=kept),
    Scenario("a statement compared", ("verify", "OUT/result.json", "--log", "OUT/run.jsonl"), begin=kept),
    Scenario("a spec exported", ("export", "MADE/specs/V1_0/relu.mod.py", "--out", "OUT.mod.py")),
    Scenario("a model drawn", ("graph", "MADE/specs/V1_0/relu.mod.py", "--out", "OUT.dot")),
    Scenario("a failure kept", (*HERE, "-d", _DRIFTING, *only(_DRIFT)), code=1),
    Scenario(
        "a failure reduced",
        ("reduce", _DRIFT, "-d", _DRIFTING, "--in-process", "--budget", "4", "--out", "OUT"),
        act=_reduced_and_replayed,
    ),
    Scenario(
        "caches",
        (
            *HERE,
            *only(
                "CompilationCachingTest/*SavingAndRetrieval/TENSOR_FLOAT32",
                "CompilationCachingTest/RetrievalAfterExecution/TENSOR_FLOAT32",
                "CompilationCachingTest/CloseFilesAfterNotification/TENSOR_FLOAT32",
                "CompilationCachingTest/PrepareFromCache_TOCTOU/TENSOR_FLOAT32",
                "CompilationCachingTest/ReplaceSecuritySensitiveCache/TENSOR_FLOAT32",
                "CompilationCachingTest/NotAFile/TENSOR_FLOAT32",
                "CompilationCachingSecurityTest/SwappedCacheFiles/TENSOR_FLOAT32",
                "CompilationCachingSecurityTest/TruncatedModelCache/TENSOR_FLOAT32",
            ),
        ),
    ),
    Scenario(
        "memory",
        (
            *HERE,
            *only(
                "MemoryTest/*",
                "MemoryTypeTest/SameMemory/*",
                "MemoryTypeTest/InvalidPool/*",
                "MemoryDomainCopyTest/Content/*",
                "MemoryDomainAllocateTest/UniqueTokens/*",
            ),
        ),
    ),
    Scenario(
        "bursts",
        (*HERE, *only("ValidateBurst/Slots", "ValidateBurst/CorruptPosition/*", "ValidateBurst/DeadClient/*")),
    ),
    Scenario("a service with clients", ("serve", "--socket", "OUT/socket"), begin=_abandoned, act=_served),
    Scenario("the suite as a function", (_RAISING, "TestTrivialModel/AddTwo/*"), act=_as_function, code=1),
    Scenario(
        "calls",
        (
            *HERE,
            *only(
                "BasicTest/*",
                "TestTrivialModel/AddTwo/*",
                "FenceTest/Signalled/*",
                "FenceTest/ErrorBefore/*",
                "IsolationTest/Token",
                "ConcurrencyTest/Preparations",
                "WireTest/MalformedFrame/no_call",
                "WireTest/RefusedCall/unknown_method",
                "TestValidation/Compilation/*",
            ),
        ),
    ),
)
"""All in one process, so that a try takes a fraction of a second."""

PROCESSES: Final = (
    Scenario("a service", (*_RUN, *only("BasicTest/*", "TestTrivialModel/AddTwo/*")), (RUNNER, SERVICE)),
    Scenario("two workers", (*_RUN, "-n", "2", *SPECS), (RUNNER, WORKER, SERVICE)),
    Scenario(
        "a wrong driver in a service",
        (*_RUN, "-d", LENIENT, *only("TestValidation/Compilation/SetPriority")),
        (RUNNER, SERVICE),
        code=1,
    ),
)
"""With the processes of drivers, and of workers."""

BENCHMARK: Final = (
    Scenario(
        "a benchmark",
        (
            *("bench", "--in-process", "--seconds", "0", "--warm-up", "0", "--no-complete", "--out", "OUT"),
            *only("speech_synthesiser"),
        ),
    ),
)
"""Takes seconds for each try."""
