"""Each classic fault of native code gets its verdict by ``nnvet run``, with file and line, in every kind of driver.

``make test`` runs some of the rows, one of each mechanism, and ``make test-all`` all.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from nnvet.adapters.service.traps import IS_KNOWN
from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.evidence import native_stacks_of
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet
from tests.native.building import COMPILER
from tests.native.faulty_drivers import C_COMPILER, SOURCE, VARIABLE, FaultyDrivers, Kind, Sanitizer, has

CASES = {
    Kind.SERVICE: "TestTrivialModel/AddTwo/sync",
    Kind.LIBRARY: "TestTrivialModel/AddTwo/sync",
    Kind.DELEGATE: "GeneratedTest/sync/relu_float_rank1",
}
"""A case that the driver executes a model in."""


class Row(NamedTuple):
    """A fault, and what is said of it: ``line`` is a text of the line of ``faults.c`` that is named."""

    fault: str
    sanitizer: Sanitizer
    verdict: Verdict
    says: str
    function: str
    line: str


ROWS = {
    "overflow": Row(
        "heap_overflow", Sanitizer.NONE, Verdict.CRASH, "free(): invalid next size", "heap_overflow", "free(kept)"
    ),
    "overflow, asan": Row(
        "heap_overflow",
        Sanitizer.ADDRESS,
        Verdict.CRASH,
        "AddressSanitizer: heap-buffer-overflow",
        "heap_overflow",
        "/* overflow",
    ),
    "use after free": Row(
        "use_after_free",
        Sanitizer.NONE,
        Verdict.CRASH,
        "malloc(): unaligned tcache",
        "use_after_free",
        "kept = malloc(40)",
    ),
    "use after free, asan": Row(
        "use_after_free",
        Sanitizer.ADDRESS,
        Verdict.CRASH,
        "AddressSanitizer: heap-use-after-free",
        "use_after_free",
        "/* use of second",
    ),
    "null": Row("null_dereference", Sanitizer.NONE, Verdict.CRASH, "SIGSEGV", "null_dereference", "tensor->codes"),
    "null, asan": Row(
        "null_dereference",
        Sanitizer.ADDRESS,
        Verdict.CRASH,
        "AddressSanitizer: SEGV",
        "null_dereference",
        "tensor->codes",
    ),
    "null, tsan": Row("null_dereference", Sanitizer.THREAD, Verdict.CRASH, "SEGV", "null_dereference", "tensor->codes"),
    "race, tsan": Row(
        "data_race", Sanitizer.THREAD, Verdict.CRASH, "ThreadSanitizer: data race", "count", "/* race */"
    ),
    "shift, ubsan": Row(
        "bad_shift",
        Sanitizer.UNDEFINED,
        Verdict.CRASH,
        "UndefinedBehaviorSanitizer: shift exponent # is too large",
        "bad_shift",
        "/* shift */",
    ),
    "deadlock": Row("deadlock", Sanitizer.NONE, Verdict.HANG, "", "take_both", "/* deadlock */"),
    "loop": Row("endless_loop", Sanitizer.NONE, Verdict.HANG, "", "endless_loop", "goes_on = 1"),
}
"""A race without a sanitizer shows nothing; what the C library notices without one depends on it: here glibc."""

SHORT = {
    Kind.SERVICE: tuple(name for name in ROWS if name != "loop"),
    Kind.LIBRARY: ("null", "null, tsan", "overflow, asan", "race, tsan"),
    Kind.DELEGATE: ("null",),
}
EACH = [
    pytest.param(kind, name, marks=() if name in SHORT[kind] else pytest.mark.long, id=f"{kind}: {name}")
    for kind in Kind
    for name in ROWS
]

pytestmark = [
    pytest.mark.skipif(COMPILER is None or C_COMPILER is None, reason="there are no compilers of C and C++"),
    pytest.mark.skipif(not IS_KNOWN, reason="stacks at a signal are taken on x86-64"),
    pytest.mark.skipif(
        not (shutil.which("eu-stack") or shutil.which("gdb")), reason="neither eu-stack nor gdb is installed"
    ),
]


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> FaultyDrivers:
    """The drivers, each built once."""
    return FaultyDrivers(tmp_path_factory.mktemp("faulty"))


@pytest.fixture(autouse=True)
def own_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sanitizers have the options that services are started with, and no others."""
    for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        monkeypatch.delenv(name, raising=False)


def line_with(text: str) -> int:
    """Number of the line of ``faults.c`` that has a text."""
    (number,) = [n for n, line in enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1) if text in line]
    return number


def result_of(drivers: FaultyDrivers, kind: Kind, row: Row, out: Path, *options: str) -> CaseFinished:
    """Return the end of the case."""
    return run_with(drivers, kind, row.sanitizer, out, CASES[kind], *options)[CASES[kind]]


def run_with(
    drivers: FaultyDrivers, kind: Kind, sanitizer: Sanitizer, out: Path, cases: str, *options: str
) -> Mapping[str, CaseFinished]:
    """Return the results of a run in which the fault is found."""
    if kind is Kind.DELEGATE and find_spec("ai_edge_litert") is None:
        pytest.skip("needs the litert extra")
    if not has(sanitizer):
        pytest.skip(f"the compiler has no {sanitizer} sanitizer")
    selector = drivers.selector(kind, sanitizer)
    ended = nnvet("run", "-d", selector, "--only", cases, "-n", "1", *options, "--out", out)
    assert ended.exit_code == 1, ended.output
    return read_log(out / "run.jsonl").results


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("kind", "name"), EACH)
def test_faults_get_their_verdicts(
    drivers: FaultyDrivers, kind: Kind, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verdict, kind, function, file and line are evidence; the place is no frame of Python."""
    row = ROWS[name]
    monkeypatch.setenv(VARIABLE, row.fault)
    options = ("--timeout", "1") if row.verdict is Verdict.HANG else ()
    result = result_of(drivers, kind, row, tmp_path, *options)
    assert result.verdict is row.verdict, result.reason
    where = f"faults.c:{line_with(row.line)}"
    if row.verdict is Verdict.HANG:
        assert f"{row.function} at {where}" in native_stacks_of(result)
        return
    assert result.evidence["place"] == f"{where} in {row.function}"
    assert row.says in result.evidence.get("fault", result.evidence.get("signal"))
    assert result.evidence["place"] in result.reason
    assert row.says in result.reason


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind is Kind.SERVICE else pytest.mark.long) for kind in Kind]
)
def test_starts_and_ends_have_stacks(
    drivers: FaultyDrivers, kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A constructor that hangs is a HANG of the start, a crash in a destructor a CRASH of the end; both have a line."""
    for fault, options, case, verdict, line in (
        ("hang_in_constructor", ("--timeout", "5"), "driver/start", Verdict.HANG, "pause();"),
        ("crash_at_exit", (), "driver/exit", Verdict.CRASH, "/* crash at exit */"),
    ):
        monkeypatch.setenv(VARIABLE, fault)
        results = run_with(drivers, kind, Sanitizer.NONE, tmp_path / fault, CASES[kind], *options)
        assert results[case].verdict is verdict
        assert f"{fault} at faults.c:{line_with(line)}" in native_stacks_of(results[case])


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind is Kind.SERVICE else pytest.mark.long) for kind in Kind]
)
def test_leaks_are_found_by_a_run(
    drivers: FaultyDrivers, kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """64 KiB that each execution leaves behind fail the soak of executions, and not that of preparations."""
    monkeypatch.setenv(VARIABLE, "leak")
    results = run_with(drivers, kind, Sanitizer.NONE, tmp_path, "LeakTest/Soak/*")
    found = results["LeakTest/Soak/executions"]
    assert (found.verdict, found.rule) == (Verdict.FAIL, "client/leak")
    assert results["LeakTest/Soak/preparations"].verdict is Verdict.PASS


def test_a_fault_is_one_in_every_driver_and_no_two_are_one(
    drivers: FaultyDrivers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fingerprint is made of kind and top frames: that of a race is not that of a null dereference."""
    found = {}
    for kind, name in ((Kind.SERVICE, "null"), (Kind.LIBRARY, "null"), (Kind.SERVICE, "race, tsan")):
        monkeypatch.setenv(VARIABLE, ROWS[name].fault)
        found[kind, name] = result_of(drivers, kind, ROWS[name], tmp_path / f"{kind}{ROWS[name].fault}").fingerprint
    assert found[Kind.SERVICE, "null"] == found[Kind.LIBRARY, "null"]
    assert found[Kind.SERVICE, "null"] != found[Kind.SERVICE, "race, tsan"]


def test_a_report_after_which_the_process_goes_on_is_a_failure(
    drivers: FaultyDrivers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who lets ThreadSanitizer go on gets FAIL for what would pass, with the same place."""
    monkeypatch.setenv(VARIABLE, "data_race")
    monkeypatch.setenv("TSAN_OPTIONS", "halt_on_error=0")
    result = result_of(drivers, Kind.SERVICE, ROWS["race, tsan"], tmp_path)
    assert (result.verdict, result.rule) == (Verdict.FAIL, "driver/sanitizer")
    assert result.evidence["place"] == f"faults.c:{line_with('/* race */')} in count"
    assert re.search("WARNING: ThreadSanitizer: data race", result.evidence["stderr_tail"])
