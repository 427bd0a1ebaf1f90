"""Libraries that hang while loading, lack functions, die or hang at the end, or close the service's descriptors."""

import re
import shutil
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from nnvet.adapters import SelectorError, create_device, open_driver
from nnvet.adapters.nnapi.header import make_header
from nnvet.conformance.engine import driver as driver_module
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import DriverLostError, open_subject, run_cases
from nnvet.conformance.engine.pool import run_serially
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.engine.work import Assignment, Ready
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.outcome import Finished, Outcome
from nnvet.conformance.smoke import END, answers
from nnvet.conformance.stress.messages import StressOptions, TestOrder
from nnvet.conformance.stress.running import run_test
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from nnvet.transport.wire.failures import DeathEvidence, DriverCrash, DriverGone, DriverHang
from tests.commands.test_utilities import nnvet
from tests.native.building import build_alone, build_with, built_in

PATIENCE_S = 60.0
CASE = "BasicTest/GetCapabilitiesTest"

FAULT = "*(volatile int*)8 = 1;"
"""A write to an address that does not exist."""
PLANTS = {
    "right": "",
    "hangs": "#include <unistd.h>\nstatic void never_ready() { for (;;) pause(); }\n"
    "__attribute__((constructor)) static void loaded() { never_ready(); }\n",
    "destructor": f"__attribute__((destructor)) static void unloaded() {{ {FAULT} }}\n",
    "atexit": f"#include <stdlib.h>\nstatic void at_end() {{ {FAULT} }}\n"
    "__attribute__((constructor)) static void loaded() { atexit(at_end); }\n",
    "thread": "#include <pthread.h>\n#include <unistd.h>\nstatic int cell;\nstatic int* volatile state = &cell;\n"
    "static void* work(void*) { for (;;) { *state = 1; usleep(100); } }\n"
    "__attribute__((constructor)) static void loaded() { pthread_t t; pthread_create(&t, 0, work, 0); }\n"
    "__attribute__((destructor)) static void unloaded() { state = (int*)8; sleep(60); }\n",
    "endless": "#include <unistd.h>\nstatic void never_done() { for (;;) pause(); }\n"
    "__attribute__((destructor)) static void unloaded() { never_done(); }\n",
    "closes": "#include <unistd.h>\n"
    "__attribute__((constructor)) static void loaded() { for (int i = 3; i < 64; ++i) close(i); }\n",
    "silences": "#include <unistd.h>\n__attribute__((constructor)) static void loaded() { close(1); }\n",
    "swallows": "#include <signal.h>\nstatic void ignore(int) {}\n"
    "__attribute__((constructor)) static void loaded() { signal(SIGSEGV, ignore); }\n",
    "reports": "#include <signal.h>\n#include <unistd.h>\nstatic void report(int) { _exit(9); }\n"
    "__attribute__((constructor)) static void loaded() { signal(SIGSEGV, report); signal(SIGPIPE, SIG_IGN); }\n",
    "answers": "#include <signal.h>\nstatic void answer(int) {}\n"
    "__attribute__((constructor)) static void loaded() { signal(SIGUSR1, answer); }\n",
}
"""Source that each library is linked with, beside all of the C API."""

Build = Callable[[str], str]


@pytest.fixture(scope="module")
def selector(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Gives the selector of a library with a plant."""
    folder = built_in(tmp_path_factory.mktemp("plants"))
    return lambda name: f"ndk:{build_with(folder, name, PLANTS[name])}"


@pytest.fixture
def dying_service(tmp_path: Path) -> str:
    """Selector of a program that serves the bundled driver, and fails when it is done."""
    program = tmp_path / "service.py"
    program.write_text(
        "import os, sys\nfrom nnvet.adapters.service.main import main\n"
        "main(['--fd', os.environ['NNVET_SOCKET_FD'], 'reference'])\nsys.stderr.write('no more\\n')\nsys.exit(7)\n"
    )
    return f"exec:{sys.executable} {program}"


def results(driver: str, *, timeout_s: float = 20.0) -> dict[str, Finished]:
    """Findings of a run of one case."""
    selection = Selection((CASE,))
    assignment = Assignment(Target(driver, timeout_s=timeout_s), selection)
    found: dict[str, Finished] = {}
    for message in run_serially(Catalogue().batches(selection), assignment):
        if isinstance(message, Ready):
            found.update({finding.case: finding for finding in message.findings})
        if isinstance(message, Finished):
            found[message.case] = message
    return found


def verdicts(found: Mapping[str, Finished]) -> dict[str, Verdict]:
    """Verdicts by case."""
    return {case: ended.outcome.verdict for case, ended in found.items()}


def check_stack(end: Outcome, place: str) -> None:
    """The native stack leads to the line, if there is something to make one with."""
    if shutil.which("eu-stack") is None and shutil.which("gdb") is None:
        pytest.skip("stacks of native code need eu-stack or gdb")
    stacks = end.evidence["timings"]["native_stacks"]
    assert re.search(place, stacks), stacks


@pytest.mark.long
def test_a_constructor_that_hangs(selector: Build) -> None:
    """The driver hangs at its start, within the limit of a library, and the stack leads to the line."""
    found = results(selector("hangs"), timeout_s=1.0)
    assert set(found) == {"driver/start"}
    start = found["driver/start"].outcome
    assert (start.verdict, start.rule, start.evidence["waited_s"]) == (Verdict.HANG, "driver/hang", 5.0)
    check_stack(start, r"never_ready.* at hangs\.c:2")


@pytest.mark.parametrize(("busy", "starts"), [(None, 1), (9.0, 2)])
def test_a_hang_is_not_waited_for_again(monkeypatch: pytest.MonkeyPatch, busy: float | None, starts: int) -> None:
    """Another start would hang as long: there is one more on a busy machine alone. A death is tried three times."""
    opened: list[str] = []

    def go(gone: type[DriverGone], target: Target) -> None:
        opened.append(target.selector)
        raise gone("gone", DeathEvidence(call="handshake", state="gone"))

    monkeypatch.setattr(driver_module, "load_of_doubt", lambda _: busy)
    for kind, expected in ((DriverHang, starts), (DriverCrash, 3)):
        opened.clear()
        monkeypatch.setattr(driver_module, "open_target", partial(go, kind))
        with pytest.raises(DriverLostError), open_subject(Target("gone")):
            pass
        assert (kind, opened) == (kind, ["gone"] * expected)


@pytest.mark.long
def test_a_symbol_that_is_undefined(tmp_path: Path, selector: Build) -> None:
    """The loader's words alone name it."""
    del selector
    library = build_alone(tmp_path, "undefined", "extern int vendor_kernel(void); int (*used)(void) = vendor_kernel;")
    with pytest.raises(SelectorError, match=r"libundefined\.so: undefined symbol: vendor_kernel$"):
        create_device(f"ndk:{library}")


def test_functions_that_are_missing(tmp_path: Path, selector: Build) -> None:
    """A library with some of the C API gets an error that names those of the others which every model needs."""
    del selector
    source = "int ANeuralNetworksModel_create(void** model) { *model = 0; return 1; }"
    library = build_alone(tmp_path, "partial", source)
    with pytest.raises(SelectorError, match="lacks functions") as refused:
        create_device(f"ndk:{library}")
    assert "ANeuralNetworksModel_finish, ANeuralNetworksCompilation_finish" in str(refused.value)
    assert "Model_create" not in str(refused.value)


def test_members_that_are_null(tmp_path: Path, selector: Build) -> None:
    """A support library without all pointers gets an error that names them; those of level 8 are not there before."""
    del selector
    (tmp_path / "NeuralNetworks.h").write_text(make_header())
    source = (
        '#include "NeuralNetworks.h"\n#include <string.h>\n'
        "NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl(void) {\n"
        "    static NnApiSLDriverImpl impl;\n    memset(&impl, 1, sizeof impl);\n"
        "    impl.implFeatureLevel = 31;\n    impl.ANeuralNetworksModel_create = 0;\n"
        "    impl.SL_ANeuralNetworksDevice_getPerformanceInfo = 0;\n"
        "    impl.ANeuralNetworksExecution_addExtensionAttribute = 0;\n    return &impl;\n}\n"
    )
    library = build_alone(tmp_path, "nulls", source)
    with pytest.raises(SelectorError, match="NnApiSLDriverImpl") as refused:
        create_device(f"sl:{library}")
    fields = str(refused.value).rpartition(": ")[2].split(", ")
    assert fields == ["ANeuralNetworksModel_create", "SL_ANeuralNetworksDevice_getPerformanceInfo"]


@pytest.mark.parametrize("plant", ["destructor", "atexit", "thread"])
def test_a_library_that_dies_at_the_end(selector: Build, plant: str) -> None:
    """The case before has passed; the process's own end is a CRASH."""
    found = results(selector(plant))
    assert verdicts(found) == {CASE: Verdict.PASS, "driver/exit": Verdict.CRASH}
    end = found["driver/exit"].outcome
    assert (end.rule, end.evidence["signal"]) == ("driver/exit", "SIGSEGV")


def test_a_library_that_does_not_end(selector: Build) -> None:
    """A process that stays is a HANG, with the stack of where."""
    found = results(selector("endless"), timeout_s=2.0)
    assert verdicts(found) == {CASE: Verdict.PASS, "driver/exit": Verdict.HANG}
    check_stack(found["driver/exit"].outcome, r"never_done.* at endless\.c:2")


def test_nothing_is_wrong_with_others(selector: Build) -> None:
    """A library that ends well, and has a handler of SIGSEGV that ends the process, is blamed for nothing."""
    assert verdicts(results(selector("reports"))) == {CASE: Verdict.PASS}


def test_a_service_that_dies_at_the_end(dying_service: str) -> None:
    """A program of exec: has to exit with status 0 when its connection is closed."""
    end = results(dying_service, timeout_s=PATIENCE_S)["driver/exit"].outcome
    assert (end.verdict, end.evidence["exit_code"]) == (Verdict.CRASH, 7)
    assert end.reason == "exit: exited with status 7; last output: no more"


def test_nobody_is_blamed_for_being_killed(selector: Build) -> None:
    """The suite kills processes itself; that is no end of theirs."""
    with open_driver(selector("destructor"), timeout_s=PATIENCE_S) as driver:
        driver.kill()
        assert driver.part() is None
    with open_driver(selector("right"), timeout_s=PATIENCE_S) as driver:
        assert driver.part() is None


@pytest.mark.long
def test_smoke_looks_at_the_end(selector: Build) -> None:
    """Smoke has one more answer where the end is wrong."""
    last = list(answers(Target(selector("destructor"), timeout_s=PATIENCE_S), 0.0))[-1]
    assert last.question is END
    assert [(failed.case, failed.outcome.verdict) for failed in last.failed] == [("driver/exit", Verdict.CRASH)]


@pytest.mark.long
def test_stress_looks_at_the_end(dying_service: str) -> None:
    """A test that has passed until then is a CRASH."""
    target = Target(dying_service, timeout_s=PATIENCE_S)
    outcome, _, _ = run_test(TestOrder("StressTest/LeakSoak/Clients", target, StressOptions(scale=0.01)))
    assert (outcome.verdict, outcome.rule) == (Verdict.CRASH, "driver/exit"), outcome.reason


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("plant", "says"),
    [
        ("closes", "has closed descriptor {}, which is not its own: the connection to the suite"),
        ("silences", "has closed descriptor 1, which is not its own: standard output"),
        ("swallows", "a handler for SIGSEGV that returns"),
        ("answers", "a handler for SIGUSR1, by which the suite asks for stacks"),
    ],
)
def test_what_is_taken_from_the_service(selector: Build, plant: str, says: str) -> None:
    """The library is blamed, with the reason, and all else is tested as ever."""
    found = results(selector(plant))
    assert verdicts(found) == {CASE: Verdict.PASS, "driver/process": Verdict.FAIL}
    before, _, after = says.partition("{}")
    blame = found["driver/process"].outcome
    assert blame.rule == "driver/process"
    assert before in blame.reason
    assert after in blame.reason


def test_a_connection_that_is_closed_in_a_call(selector: Build) -> None:
    """The case is a CRASH that says who has closed it."""
    case = checks()["TestTrivialModel/AddTwo"].case_of("sync")
    target = Target(f"{selector('right')}#nnvet-close", timeout_s=PATIENCE_S)
    (crash,) = (event.outcome for event in run_cases([case], target) if isinstance(event, Finished))
    assert (crash.verdict, crash.rule) == (Verdict.CRASH, "driver/process")
    # Either the service or its watch sees it first.
    assert re.search(r"the driver has closed (a descriptor that|descriptor \d+, which) is not its own", crash.reason)


@pytest.mark.long
def test_the_end_of_a_run_with_workers(selector: Build, tmp_path: Path) -> None:
    """Each worker ends its driver before the run does: the death is in the log, the report and the exit code."""
    driver = selector("destructor")
    ended = nnvet("run", "-d", driver, "--only", CASE, "-n", "2", "--out", tmp_path)
    assert (ended.exit_code, "Traceback" in ended.output) == (1, False), ended.output
    found = read_log(tmp_path / "run.jsonl").results
    assert found[CASE].verdict is Verdict.PASS
    assert found["driver/exit"].verdict is Verdict.CRASH
