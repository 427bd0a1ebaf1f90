"""Texts of sanitizers, of the C library and of our own stacks are read; expectations are read off them by hand."""

from typing import NamedTuple

import pytest

from nnvet.diagnostics.native_faults import NativeFrame, find_fault

OVERFLOW = """\
=================================================================
==21294==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x… at pc 0x… bp 0x… sp 0x…
WRITE of size 1 at 0x… thread T0
    #0 0x… in __interceptor_memset ../../../../src/libsanitizer/sanitizer_common/sanitizer_common_interceptors.inc:799
    #1 0x… in npu::pad(char*) /src/pad.cpp:10:43
    #2 0x… in npu::run /src/run.cpp:20
    #3 0x…  (/usr/lib/x86_64-linux-gnu/libffi.so.8+0x7e2d) (BuildId: 8f3bb7)
    #4 0x… in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

0x… is located 0 bytes to the right of 8-byte region [0x…,0x…)
allocated by thread T0 here:
    #0 0x… in operator new[](unsigned long) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:98
    #1 0x… in npu::reserve /src/pad.cpp:4

SUMMARY: AddressSanitizer: heap-buffer-overflow /src/pad.cpp:10 in npu::pad(char*)
Shadow bytes around the buggy address:
  0x0c047fff7fb0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
"""
NULL = """\
AddressSanitizer:DEADLYSIGNAL
=================================================================
==21310==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000008 (pc 0x… bp 0x… sp 0x… T0)
==21310==The signal is caused by a WRITE memory access.
==21310==Hint: address points to the zero page.
    #0 0x… in plant /src/run.cpp:12

SUMMARY: AddressSanitizer: SEGV /src/run.cpp:12 in plant
==21310==ABORTING
"""
LEAK = """\
==21329==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 100 byte(s) in 1 object(s) allocated from:
    #0 0x… in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x… in plant /src/run.cpp:15
    #2 0x…  ([stack]+0x20ad9)

SUMMARY: AddressSanitizer: 100 byte(s) leaked in 1 allocation(s).
"""
RACE = """\
==================
WARNING: ThreadSanitizer: data race (pid=21363)
  {first} of size 4 at 0x… by thread T2:
    #0 npu::count() {one} (libnpu.so+0x1290) (BuildId: cae68b)
    #1 std::thread::_Invoker<int>::operator()() /usr/bin/../lib/gcc/12/include/c++/12/thread:9 (libnpu.so+0x3)
    #2 <null> <null> (libstdc++.so.6+0xd44a2)

  Previous {second} of size 4 at 0x… by thread T1:
    #0 npu::count() {two} (libnpu.so+0x12fc)

  Location is global 'shared' of size 4 at 0x… (libnpu.so+0x40c4)

  Thread T2 (tid=21367, running) created by main thread at:
    #0 pthread_create ../../../../src/libsanitizer/tsan/tsan_interceptors_posix.cpp:1001 (libtsan.so.2+0x5e686)

SUMMARY: ThreadSanitizer: data race /src/run.cpp:13 in npu::count()
==================
ThreadSanitizer: reported 1 warnings
"""
UNDEFINED = """\
loading
/src/run.cpp:14:40: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
    #0 0x… in plant /src/run.cpp:14
    #1 0x… in run /src/run.cpp:20

done
"""
UNINITIALISED = """\
==23333==WARNING: MemorySanitizer: use-of-uninitialized-value
    #0 0x… in main /src/run.cpp:3:39
    #1 0x… in __libc_start_main csu/../csu/libc-start.c:360:3

SUMMARY: MemorySanitizer: use-of-uninitialized-value /src/run.cpp:3:39 in main
"""
STACKS = """\
SIGSEGV (address not mapped) at 0x8
thread 3:
  npu::run(npu::Job const&) at run.cpp:55 (libnpu.so)
  compute at run.cpp:260 (libnpu.so)
  (Python)
thread 1:
  __poll at poll.c:29 (libc.so.6)
"""
DOUBLE_FREE = "free(): double free detected in tcache 2\nFatal Python error: Aborted\n"
ASSERTION = "service: run.cpp:7: int f(): Assertion `ready' failed.\nSIGABRT\nthread 1:\n  f at run.cpp:7 (service)\n"


class Expected(NamedTuple):
    """The parts of a fault that a text tells of."""

    tool: str
    kind: str
    signal: str
    places: list[str]


FAULTS = {
    "overflow": (
        OVERFLOW,
        Expected("AddressSanitizer", "heap-buffer-overflow", "", ["pad.cpp:10 in npu::pad", "run.cpp:20 in npu::run"]),
    ),
    "null": (NULL, Expected("AddressSanitizer", "SEGV", "SIGSEGV", ["run.cpp:12 in plant"])),
    "leak": (LEAK, Expected("LeakSanitizer", "memory leak", "", ["run.cpp:15 in plant"])),
    "race": (
        RACE.format(first="Read", one="/src/run.cpp:13", second="write", two="/src/run.cpp:17"),
        Expected("ThreadSanitizer", "data race", "", ["run.cpp:13 in npu::count", "run.cpp:17 in npu::count"]),
    ),
    "undefined": (
        UNDEFINED,
        Expected(
            "UndefinedBehaviorSanitizer",
            "signed integer overflow",
            "",
            ["run.cpp:14 in plant", "run.cpp:20 in run"],
        ),
    ),
    "uninitialised": (
        UNINITIALISED,
        Expected("MemorySanitizer", "use-of-uninitialized-value", "", ["run.cpp:3 in main"]),
    ),
    "signal": (STACKS, Expected("", "SIGSEGV", "SIGSEGV", ["run.cpp:55 in npu::run", "run.cpp:260 in compute"])),
    "double free": (DOUBLE_FREE, Expected("", "free(): double free detected in tcache", "SIGABRT", [])),
    "assertion": (ASSERTION, Expected("", "Assertion `ready' failed", "SIGABRT", ["run.cpp:7 in f"])),
}


@pytest.mark.parametrize(("text", "expected"), FAULTS.values(), ids=FAULTS)
def test_faults_are_read(text: str, expected: Expected) -> None:
    """Kind, signal and the frames of the driver, without those of sanitizer, interpreter and system."""
    fault = find_fault(f"something before\n{text}something after\n")
    assert fault is not None
    assert Expected(fault.tool, fault.kind, fault.signal, fault.places) == expected


def test_fingerprints_differ() -> None:
    """No two of these faults are one; the place is part of it, and so is the kind."""
    texts = [text for text, _ in FAULTS.values()]
    texts += [OVERFLOW.replace("pad.cpp:10", "pad.cpp:11"), OVERFLOW.replace("heap-buffer-overflow", "double-free")]
    faults = [find_fault(text) for text in texts]
    assert len({fault.fingerprint for fault in faults if fault is not None}) == len(texts)


def test_a_race_is_one_whoever_comes_second() -> None:
    """The order of the two accesses is chance, and so are numbers of processes and threads."""
    one = RACE.format(first="Read", one="/src/run.cpp:13", second="write", two="/src/run.cpp:17")
    other = RACE.format(first="Write", one="/src/run.cpp:17", second="read", two="/src/run.cpp:13")
    first, second = find_fault(one), find_fault(other.replace("21363", "99"))
    assert first is not None
    assert second is not None
    assert first.fingerprint == second.fingerprint


def test_undefined_behaviour_without_a_stack() -> None:
    """The line of the report is the place; numbers are no part of the kind."""
    fault = find_fault("run.cpp:9:3: runtime error: index 7 out of bounds for type 'int [4]'\n")
    assert fault is not None
    assert (fault.kind, fault.place) == ("index # out of bounds for type 'int [#]'", "run.cpp:9")


def test_the_more_telling_report_of_one_access() -> None:
    """UBSan complains of an access that AddressSanitizer then stops at: that is one fault, at one place."""
    complaint = "/src/pad.cpp:{}:43: runtime error: store to address 0x… with insufficient space for 'char'\n"
    complaint += "0x…: note: pointer points here\n    #0 0x… in npu::pad(char*) /src/pad.cpp:{}\n\n"
    same, another = find_fault(complaint.format(10, 10) + OVERFLOW), find_fault(complaint.format(7, 7) + OVERFLOW)
    assert same is not None
    assert another is not None
    assert (same.tool, another.tool) == ("AddressSanitizer", "UndefinedBehaviorSanitizer")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "AddSan is a fine name",
        "==9==LeakSanitizer has encountered a fatal error.\n==9==HINT: LeakSanitizer does not work under ptrace\n",
        "==9==FATAL: ThreadSanitizer: unexpected memory mapping 0x… - 0x…\n",
        "a runtime error is what this driver says: no",
    ],
)
def test_other_texts_tell_of_none(text: str) -> None:
    """Not every word of a sanitizer is the report of a fault of the driver."""
    assert find_fault(text) is None


@pytest.mark.parametrize(
    ("function", "place"),
    [
        ("run", "lib.so in run"),
        ("(anonymous namespace)::run(int)", "lib.so in (anonymous namespace)::run"),
        ("Job::operator()(int) const", "lib.so in Job::operator()"),
        ("operator()", "lib.so in operator()"),
        ("npu::each(std::function<void (int)>, int)", "lib.so in npu::each"),
    ],
)
def test_places_have_no_arguments(function: str, place: str) -> None:
    """Types of arguments tell nothing of where a crash was."""
    assert NativeFrame(function, module="lib.so").place == place


def test_python_that_calls_the_system_is_no_place() -> None:
    """A driver in Python that kills itself by the C library is nowhere in native code."""
    fault = find_fault("SIGSEGV\nthread 1:\n  raise at raise.c:26 (libc.so.6)\n  (Python)\n  main (python3)\n")
    assert fault is not None
    assert (fault.kind, fault.place) == ("SIGSEGV", "")


@pytest.mark.parametrize(
    ("module", "is_interpreter"),
    [
        ("select.cpython-311-x86_64-linux-gnu.so", True),
        ("npu.cpython-311-x86_64-linux-gnu.so", False),
        ("libselect.so", False),
    ],
)
def test_modules_of_the_standard_library_are_none_of_a_driver_s(module: str, is_interpreter: bool) -> None:
    """A thread that waits in select is no place of a fault in the driver; a driver's own extension module is."""
    assert NativeFrame("poll", module=module).is_interpreter is is_interpreter
