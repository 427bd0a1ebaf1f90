"""Evidence of deaths in native code: stacks of all threads, cores, and how processes that others have started end."""

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from nnvet.adapters import open_driver, prepare
from nnvet.adapters.service import sanitizers, stacks
from nnvet.adapters.service.crashes import VARIABLE, make_glob
from nnvet.adapters.service.peer import PeerProcess
from nnvet.adapters.service.stacks import read_eu_stack, read_gdb, stacks_of_process
from nnvet.conformance.kit.outcome import death_outcome
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.types import ExecutionConfig
from nnvet.transport.wire.failures import DriverGone
from tests.adapters.conftest import OpenDriver, serving
from tests.adapters.models import add_model, add_pool, add_request
from tests.native.building import COMPILER, build

PATIENCE_S = 60.0
READERS = ("eu-stack", "gdb")
PATTERN = Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8").strip()
EU_STACK = """\
PID 7039 - core
TID 7039:
#0  0x00007fa8350a8eec __pthread_kill_implementation - libc.so.6
    ./nptl/pthread_kill.c:44:76
#1  0x00007fa835059fb2 raise - libc.so.6
    ../sysdeps/posix/raise.c:26:13
#2  0x00007fa83505a050 __restore_rt - libc.so.6
#3  0x00007fa835185ad8 npu::run(npu::Job const&) - /opt/npu/libnpu.so
    /src/npu/run.cpp:55:47
#4  0x00007fa834c96f7a - libffi.so.8
#5  0x00007fa83535861d _PyObject_MakeTpCall - libpython3.11.so.1.0
    Objects/call.c:214:18
#6  0x00007fa83504524a __libc_start_call_main - libc.so.6
TID 7040:
#0  0x00007fa8350c80e8 __poll - libc.so.6
#1  0x00007fa8350a71f5 start_thread - libc.so.6
TID 7041:
#0  0x00007fa8350c80e8 __poll - libc.so.6
#1  0x00007fa8350a71f5 start_thread - libc.so.6
"""
"""As eu-stack 0.188 prints it, with names of a driver put in."""
GDB = """\
Thread 2 (Thread 0x7ff2cd5886c0 (LWP 6837)):
#0  0x00007ff2cd65fdf2 in __poll () at ../sysdeps/unix/sysv/linux/poll.c:29
#1  0x00007ff2cd6151f5 in start_thread (arg=...) at ./nptl/pthread_create.c:442

Thread 1 (Thread 0x7ff2cd589740 (LWP 6836)):
#0  __pthread_kill_implementation (threadid=..., signo=..., no_tid=...) at ./nptl/pthread_kill.c:44
#1  <signal handler called>
#2  0x000055f64eddb168 in npu::run (job=...) at /src/npu/run.cpp:55
#3  0x000055f64eddb1cd in ?? () from /opt/npu/libhelper.so
#4  _PyObject_VectorcallTstate (kwnames=..., nargsf=...) at ./Include/internal/pycore_call.h:92
[Inferior 1 (process 6836) detached]
"""
"""As gdb 13 prints it, with names of a driver put in."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The native library, built once."""
    if COMPILER is None:
        pytest.skip("there is no compiler of C++ to build the library with")
    return build(tmp_path_factory.mktemp("native"))


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The one program that reads stacks here."""
    name: str = request.param
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    monkeypatch.setattr(stacks, "_find_program", lambda other: path if other == name else None)
    return name


@contextmanager
def writes_cores(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Services write cores into ``folder`` inside the block."""
    if PATTERN.startswith("|"):
        pytest.skip(f"cores are given to {PATTERN[1:].split()[0]}")
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        pytest.skip("no process here may write cores")
    monkeypatch.setenv(VARIABLE, str(folder))
    yield


def death(library: Path, fault: str, timeout_s: float = PATIENCE_S) -> DriverGone:
    """Return the death of an execution on the device with a planted fault."""
    selector = f"ndk:{library}#nnvet-{fault}"
    with (
        open_driver(selector, timeout_s=timeout_s, start_timeout_s=PATIENCE_S) as opened,
        add_pool(1, 2, 3, 4) as pool,
    ):
        prepared = prepare(opened.device, add_model(), timeout_s=PATIENCE_S)
        with pytest.raises(DriverGone) as died:
            prepared.execute_synchronously(add_request(pool), ExecutionConfig(), NO_DEADLINE)
        return died.value


@pytest.mark.sampled(2)
@pytest.mark.usefixtures("reader")
def test_a_loop_in_native_code_is_named(library: Path) -> None:
    """Evidence of a hang has the function that never ends; it goes where the log keeps what differs between runs."""
    gone = death(library, "loop", timeout_s=1.0)
    assert "plant(" in gone.evidence.native_stacks or "::plant" in gone.evidence.native_stacks
    assert "in result" in gone.evidence.stderr_tail
    assert "plant" in death_outcome(gone).evidence["timings"]["native_stacks"]
    assert "native_stacks" not in death_outcome(gone).evidence


@pytest.mark.sampled(2)
@pytest.mark.usefixtures("reader")
def test_a_crash_in_native_code_is_named(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its stacks begin with the function that wrote to address 8; the core is kept where it was asked for."""
    with writes_cores(tmp_path / "kept", monkeypatch):
        gone = death(library, "segfault")
    assert gone.evidence.core == str(tmp_path / "kept" / f"core.{gone.evidence.pid}")
    assert Path(gone.evidence.core).read_bytes()[:4] == b"\x7fELF"
    assert gone.evidence.native_stacks.splitlines()[:2] == ["SIGSEGV (address not mapped) at 0x8", "thread 1:"]
    assert "plant" in gone.evidence.native_stacks.splitlines()[2]
    assert str(gone).startswith("PreparedModel.execute_synchronously: SIGSEGV in ")
    assert gone.evidence.place.endswith("in (anonymous namespace)::plant")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", ["segfault", "loop"])
def test_without_readers_verdicts_are_plain(library: Path, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has neither program says which to install, and of a crash the address in the library."""
    monkeypatch.setattr(stacks, "_find_program", lambda _: None)
    gone = death(library, fault, timeout_s=1.0 if fault == "loop" else PATIENCE_S)
    assert gone.rule == ("driver/hang" if fault == "loop" else "driver/crash")
    assert stacks.NO_READER in gone.evidence.native_stacks
    assert gone.evidence.core == ""
    assert not gone.evidence.place.endswith("in result"), "the adapter's own frame is no place of a fault in a library"
    if fault == "segfault":
        assert gone.evidence.place.startswith("libnnvet_native.so+0x")


def test_who_asks_for_no_core_gets_none(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default the limit of the user's shell holds."""
    monkeypatch.delenv(VARIABLE, raising=False)
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))
    monkeypatch.chdir(tmp_path)
    try:
        assert death(library, "segfault").evidence.core == ""
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    assert list(tmp_path.iterdir()) == []


def test_refusals_are_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal of the kernel is evidence, with the setting of Yama that is to blame."""
    refusing = tmp_path / "eu-stack"
    refusing.write_text("#!/bin/sh\necho 'eu-stack: dwfl_linux_proc_attach: Operation not permitted' >&2; exit 2\n")
    refusing.chmod(0o755)
    scope = tmp_path / "ptrace_scope"
    scope.write_text("1\n")
    monkeypatch.setattr(stacks, "_YAMA", scope)
    monkeypatch.setattr(stacks, "_find_program", {"eu-stack": str(refusing)}.get)
    assert stacks_of_process(os.getpid()).text == (
        "eu-stack shows no stacks: eu-stack: dwfl_linux_proc_attach: Operation not permitted"
        " (kernel.yama.ptrace_scope is 1)"
    )


def test_forms_of_readers() -> None:
    """Frames of handlers are left out, equal threads stand once, Python is one line; expectations read off by hand."""
    threads = read_eu_stack(EU_STACK)
    assert stacks.format_threads(threads) == (
        "thread 1:\n  npu::run(npu::Job const&) at run.cpp:55 (libnpu.so)\n  (Python)\n"
        "threads 2, 3:\n  __poll (libc.so.6)\n"
    )
    assert stacks.place_in(threads[0]) == "run.cpp:55 in npu::run"
    threads = read_gdb(GDB)
    assert stacks.format_threads(threads) == (
        "thread 1:\n  npu::run at run.cpp:55\n  ?? (libhelper.so)\n  (Python)\nthread 2:\n  __poll at poll.c:29\n"
    )
    assert stacks.place_in(threads[0]) == "run.cpp:55 in npu::run"


@pytest.mark.parametrize(
    ("pattern", "uses_pid", "expected"),
    [
        ("core", False, "core"),
        ("core", True, "core.17"),
        ("/var/crash/core.%e.%p", True, "/var/crash/core.*.17"),
        ("%%%P-%t", False, "%17-*"),
    ],
)
def test_names_of_cores(pattern: str, uses_pid: bool, expected: str) -> None:
    """Cores have the names that the kernel gives them; source: core(5)."""
    assert make_glob(pattern, 17, uses_pid=uses_pid) == expected


def peer_that(script: str) -> tuple[PeerProcess, subprocess.Popen[bytes]]:
    """The peer that a connection to a child leads to, which then does what ``script`` says."""
    path = f"\0nnvet-test-{os.getpid()}-{script!r}"
    listen = (
        "import os, signal, socket, sys\n"
        f"s = socket.socket(socket.AF_UNIX); s.bind({path!r}); s.listen(); print('ready', flush=True)\n"
        f"c = s.accept()[0]\n{script}"
    )
    child = subprocess.Popen([sys.executable, "-c", listen], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        return PeerProcess(connection), child


def test_how_a_peer_has_ended() -> None:
    """The end of a process that nobody has waited for yet is known from /proc."""
    for script, state, code, name in (
        ("os._exit(3)", "exited with status 3", 3, None),
        ("os.kill(os.getpid(), signal.SIGTERM)", "killed by SIGTERM", -signal.SIGTERM, "SIGTERM"),
    ):
        peer, child = peer_that(script)
        with child:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            evidence = peer.evidence(dead=True)
        assert evidence.state == f"connection closed, process {state}"
        assert (evidence.pid, evidence.exit_code, evidence.signal) == (child.pid, code, name)
        later = peer.evidence(dead=True)
        # Once it has been waited for, only kernels of Linux 6.15 and later still tell.
        assert later.state in (evidence.state, "connection closed, process gone")


def test_a_peer_that_lives() -> None:
    """A living peer is described by what it does."""
    peer, child = peer_that("sys.stdin.read()")
    with child, suppress(ProcessLookupError):
        assert peer.evidence(dead=False).state.startswith("process ")
        child.kill()


def test_a_crash_behind_a_socket_is_named(tmp_path: Path) -> None:
    """The signal that has killed a service which others have started is in the verdict."""
    path = tmp_path / "socket"
    with (
        serving(path, "Segfaults", -signal.SIGSEGV),
        open_driver(f"unix:{path}", timeout_s=PATIENCE_S) as driver,
        pytest.raises(DriverGone) as died,
    ):
        driver.device.get_type()
    assert died.value.evidence.signal == "SIGSEGV"


def test_a_handler_of_sigquit_is_heard(tmp_path: Path) -> None:
    """A program that hangs and has a handler of SIGQUIT is asked to say where it is."""
    program = tmp_path / "service.py"
    program.write_text(
        "import os, signal, time\n"
        "signal.signal(signal.SIGQUIT, lambda *_: os.write(2, b'goroutine 1 [running]'))\n"
        "while True: time.sleep(60)\n"
    )
    with (
        pytest.raises(DriverGone) as died,
        # It has to have installed its handler by then.
        open_driver(f"exec:{sys.executable} {program}", start_timeout_s=2.0),
    ):
        pass
    assert died.value.evidence.stderr_tail == "goroutine 1 [running]"


def test_python_drivers_keep_their_places(service: OpenDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If only Python's own libraries ran, the place is the driver's line, whatever the core says."""
    with writes_cores(tmp_path, monkeypatch), pytest.raises(DriverGone) as died:
        service("Segfaults").device.get_type()
    assert died.value.evidence.place.startswith("misbehaving.py:")


@pytest.mark.long
def test_a_service_waits_for_a_debugger(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """It is stopped before anything is said to it, and goes on when it is let."""
    monkeypatch.setenv(sanitizers.VARIABLE, "1")
    seen: list[str] = []

    def let_go() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not seen and time.monotonic() < deadline:
            for child in psutil.Process().children():
                if child.status() == psutil.STATUS_STOPPED:
                    seen.append(str(child.pid))
                    child.resume()
            time.sleep(0.05)

    helper = threading.Thread(target=let_go)
    helper.start()
    with open_driver("reference", timeout_s=PATIENCE_S) as driver:
        helper.join()
        assert seen == [str(driver.pid)]
    assert f"process {seen[0]} waits for a debugger" in capfd.readouterr().err
