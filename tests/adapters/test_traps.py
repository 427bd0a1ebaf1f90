"""A program with a fatal signal is stopped and examined, and then still dies of the signal."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from nnvet.adapters.service import traps
from nnvet.adapters.service.crashes import CrashWatch, DriverOutput
from nnvet.adapters.service.process import ServiceProcess
from nnvet.adapters.service.traps import IS_KNOWN
from nnvet.transport.wire.failures import DeathEvidence
from tests.native.building import COMPILER

PATIENCE_S = 60.0
PATTERN = Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8").strip()
SOURCE = """\
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
__attribute__((noinline)) int deep(int n) { volatile char a[4096]; a[n % 4096] = 1; return n ? deep(n + 1) + a[0] : 0; }
void say(int) { write(1, "handled", 7); _exit(7); }
#ifdef __x86_64__
#include <immintrin.h>
__attribute__((target("avx"))) void masked() {
    _mm_maskstore_ps((float*)8, _mm_set1_epi32(-1), _mm_set1_ps(1));
}
#endif
int main(int count, char** arguments) {
    char byte, *fault = arguments[2];
    if (read(atoi(arguments[1]), &byte, 1) != 1) return 1;
    auto plant = [fault] {
        volatile int zero = 0;
        if (!strcmp(fault, "null")) *(volatile int*)8 = 1;
        if (!strcmp(fault, "abort")) abort();
        if (!strcmp(fault, "divide")) printf("%d", 7 / zero);
        if (!strcmp(fault, "deep")) deep(1);
        if (!strcmp(fault, "killed")) raise(SIGSEGV);
        if (!strcmp(fault, "trap")) __builtin_trap();
        if (!strcmp(fault, "masked")) masked();
        if (!strcmp(fault, "own")) { signal(SIGSEGV, say); raise(SIGSEGV); }
        if (!strcmp(fault, "child")) {
            int status;
            if (!fork()) abort();
            wait(&status);
            _exit(WTERMSIG(status));
        }
    };
    if (count > 3) std::thread(plant).join();
    plant();
    return 0;
}
"""
"""Faults on command, once there is a byte to read: by then the trap is set."""


class Expected(NamedTuple):
    """End of a program, and beginning of its stacks."""

    signal: signal.Signals
    header: str
    function: str = "operator()"


FAULTS = {
    "null": Expected(signal.SIGSEGV, "SIGSEGV (address not mapped) at 0x8"),
    "abort": Expected(signal.SIGABRT, "SIGABRT"),
    "divide": Expected(signal.SIGFPE, "SIGFPE (integer division by zero)"),
    "deep": Expected(signal.SIGSEGV, "SIGSEGV (address not mapped) at 0x", "deep"),
    "killed": Expected(signal.SIGSEGV, "SIGSEGV"),
    "trap": Expected(signal.SIGILL, "SIGILL"),
}

pytestmark = pytest.mark.skipif(not IS_KNOWN, reason="the trap is machine code of x86-64")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with the faults."""
    if COMPILER is None:
        pytest.skip("there is no compiler of C++ to build the program with")
    folder = tmp_path_factory.mktemp("faults")
    (folder / "faults.cpp").write_text(SOURCE, encoding="utf-8")
    command = [COMPILER, "-g", "-O0", "-pthread", "-o", folder / "faults", folder / "faults.cpp"]
    subprocess.run(command, check=True)
    return folder / "faults"


def death(program: Path, *arguments: str) -> DeathEvidence:
    """Return the end of the program with the trap in it. It is let run once the trap is there."""
    ours, theirs = os.pipe()
    try:
        # A trap that was set before the shell runs the program would be gone.
        command = ["sh", "-c", 'exec "$0" "$@"', str(program), str(ours), *arguments]
        process = ServiceProcess(command, ours, {})
        deadline = time.monotonic() + PATIENCE_S
        while Path(f"/proc/{process.pid}/exe").readlink() != program and time.monotonic() < deadline:
            time.sleep(0.01)
        process.trap_signals()
        os.write(theirs, b"\n")
        assert process.wait(PATIENCE_S)
        return process.evidence(dead=True)
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("thread", [(), ("thread",)], ids=["main", "thread"])
@pytest.mark.parametrize("fault", FAULTS)
def test_the_stack_of_a_fault(program: Path, fault: str, thread: tuple[str, ...]) -> None:
    """Signal, reason and the function are evidence, whichever thread it was in; the program dies of its own signal."""
    if not (shutil.which("eu-stack") or shutil.which("gdb")):
        pytest.skip("neither eu-stack nor gdb is installed")
    if fault == "deep" and thread:
        pytest.skip("only the first thread gets a stack for its handler")
    evidence = death(program, fault, *thread)
    expected = FAULTS[fault]
    assert (evidence.signal, evidence.exit_code) == (expected.signal.name, -expected.signal)
    assert evidence.native_stacks.startswith(expected.header)
    assert evidence.place.startswith("faults.cpp:")
    assert expected.function in evidence.place
    assert evidence.frames[0] == evidence.place


@pytest.mark.skipif(" avx " not in Path("/proc/cpuinfo").read_text(encoding="utf-8"), reason="a processor without AVX")
def test_registers_of_vectors_are_those_of_the_fault(program: Path) -> None:
    """A store whose mask is in such a register fails the second time, too: with an empty mask nothing is stored."""
    assert death(program, "masked").signal == "SIGSEGV"


def test_where_there_is_no_trap_a_core_is_read(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stacks are those of the core, which is gone afterwards."""
    if PATTERN.startswith("|") or "/" in PATTERN:
        pytest.skip(f"kernel.core_pattern is {PATTERN}")
    if not (shutil.which("eu-stack") or shutil.which("gdb")):
        pytest.skip("neither eu-stack nor gdb is installed")
    monkeypatch.setattr(traps, "put_trap", lambda _: False)
    monkeypatch.chdir(tmp_path)
    evidence = death(program, "null")
    assert (evidence.signal, evidence.core) == ("SIGSEGV", "")
    assert evidence.place.startswith("faults.cpp:")
    assert list(tmp_path.iterdir()) == []


def test_a_program_keeps_its_own_handlers(program: Path) -> None:
    """A handler that the program installs itself is what runs."""
    evidence = death(program, "own")
    assert (evidence.exit_code, evidence.stderr_tail) == (7, "handled")


def test_children_die_of_their_signals(program: Path) -> None:
    """A child that was forked is watched by nobody: it must not stand still for ever."""
    evidence = death(program, "child")
    assert (evidence.exit_code, evidence.native_stacks) == (signal.SIGABRT, "")


def test_a_program_that_is_fine_ends_as_ever(program: Path) -> None:
    """Registers and memory are as they were when the trap has been put."""
    evidence = death(program, "none")
    assert (evidence.exit_code, evidence.signal, evidence.fault) == (0, None, "")


def test_a_stop_by_others_is_none_of_ours() -> None:
    """A process that somebody stops with SIGSTOP stays as it is until somebody lets it go on."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"]) as process:
        try:
            assert traps.put_trap(process.pid)
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            assert traps.find_fatal_signal(process.pid) is None
        finally:
            process.kill()


@pytest.mark.skipif(not IS_KNOWN, reason="registers of this processor are not known")
def test_whoever_watches_takes_no_stop_from_whoever_puts_the_trap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop is reported once: beside a thread that looks all the time, the trap is put all the same."""
    monkeypatch.setattr(traps, "_STOPPING_S", 5.0)
    is_over = threading.Event()

    def look_on(watch: CrashWatch, process: int) -> None:
        pidfd = os.pidfd_open(process)
        while not is_over.is_set():
            watch.look(process, pidfd)
        os.close(pidfd)

    reader, writer = os.pipe()
    os.close(writer)
    watch = CrashWatch(DriverOutput(reader))
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"]) as process:
        thread = threading.Thread(target=look_on, args=(watch, process.pid))
        thread.start()
        try:
            assert watch.put_trap(process.pid)
        finally:
            is_over.set()
            thread.join()
            process.kill()
            os.close(reader)


def test_a_trap_in_what_has_ended() -> None:
    """A process that has ended already gets none, and can still be waited for."""
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not traps.put_trap(process.pid)
        assert process.wait() == 3
