"""The example driver in C: the commands of the page find its planted overflow, and its edges are counted."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from nnvet.adapters import prepare
from nnvet.adapters.service.activity import MemoryMeter
from nnvet.conformance.engine.target import Target
from nnvet.fuzz.findings import FindingKind, FuzzFinding, read_saved
from nnvet.fuzz.leaks import find_growth
from nnvet.fuzz.native_edges import SOURCE, NativeEdges
from nnvet.fuzz.target import open_fuzzed
from nnvet.graphs.builder import sum_of_two
from nnvet.graphs.hal_model import build_model, close_pools, pack_request
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.types import ExecutionConfig, ExecutionResult
from tests.docs.pages import ROOT, fences
from tests.native.building import COMPILER, built_in

EXAMPLE = ROOT / "docs" / "examples" / "native"
PAGE = ROOT / "docs" / "fuzzing.md"
LIMIT_S = 900
"""However busy the machine is; a fuzzer that finds nothing until then finds nothing."""


def needed(compiler: str) -> str:
    """Path of a compiler; the test is skipped where it is missing."""
    found = shutil.which(compiler)
    if found is None:
        pytest.skip(f"there is no {compiler} to build the example with")
    return found


def file_of(compiler: str, name: str) -> str:
    """Path of a library that a compiler has; the test is skipped where it is missing."""
    done = subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    if "/" not in done.stdout:
        pytest.skip(f"{compiler} has no {name}")
    return os.path.realpath(done.stdout.strip())


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """The example, built with AddressSanitizer, in a service whose runtime is loaded first."""
    compiler = needed("gcc")
    library = tmp_path / "libsums.so"
    command = [compiler, "-g", "-O1", "-fPIC", "-shared", "-fsanitize=address", "-o", str(library)]
    subprocess.run([*command, str(EXAMPLE / "sums.c")], check=True)
    monkeypatch.setenv("SUMS_LIBRARY", str(library))
    monkeypatch.setenv("LD_PRELOAD", file_of(compiler, "libasan.so"))
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
    return Target(f"python:{EXAMPLE / 'native_driver.py'}:NativeDevice", timeout_s=60)


def test_the_overflow_is_found_with_its_report(driver: Target) -> None:
    """As many numbers as the scratch memory holds are added; one more is a finding of the sanitizer."""
    with open_fuzzed(driver) as target:

        def execute(count: int) -> object:
            test = sum_of_two("sums", [1.0] * count, [2.0] * count, [3.0] * count)
            request = pack_request(test).request
            try:
                prepared = prepare(target.device, build_model(test))
                return target.ask(lambda: prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE))
            finally:
                close_pools(request)

        assert isinstance(execute(64), ExecutionResult)
        with pytest.raises(FuzzFinding) as caught:
            execute(65)
    assert caught.value.kind is FindingKind.SANITIZER
    assert "heap-buffer-overflow" in caught.value.evidence["report"]
    assert "sums.c:17 in sums_add" in caught.value.place


FREES = """
import ctypes, sys
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
for line in sys.stdin:
    memory = ctypes.c_void_p(library.malloc(int(line)))
    library.memset(memory, 1, int(line))
    library.free(memory)
    print(flush=True)
"""


def test_what_a_sanitizer_keeps_is_no_leak() -> None:
    """Freed memory that a process keeps in quarantine is no leak; it is weighed, but shadow memory is not."""
    preload = file_of(needed("gcc"), "libasan.so")
    environment = {**os.environ, "LD_PRELOAD": preload, "ASAN_OPTIONS": "detect_leaks=0"}
    with subprocess.Popen(
        [sys.executable, "-c", FREES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def free(size: int) -> None:
            process.stdin.write(f"{size}\n")  # type: ignore[union-attr] # it is a pipe
            process.stdin.flush()  # type: ignore[union-attr] # same
            process.stdout.readline()  # type: ignore[union-attr] # same

        assert "memory of the service" not in dict(find_growth(lambda: free(1 << 18), 16))
        before = MemoryMeter().measure([process.pid])
        for _ in range(64):
            free(1 << 20)
        resident = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        after = MemoryMeter().measure([process.pid])
        process.stdin.close()
    assert after - before > 1 << 25
    assert after < resident - (1 << 18)


def block_of(compiler: str) -> str:
    """The commands of the page that begin with a compiler."""
    return next(
        fence.text for fence in fences(PAGE) if fence.language == "sh" and fence.text.startswith(f"{compiler} ")
    )


@pytest.mark.long
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_page_finds_the_overflow(tmp_path: Path, compiler: str) -> None:
    """The commands stand as on the page but for the time, which is longer here, and ends with the finding."""
    needed(compiler)
    file_of(compiler, "libasan.so" if compiler == "gcc" else f"libclang_rt.asan-{os.uname().machine}.so")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    assert "--minutes 2\n" in block_of(compiler)
    block = block_of(compiler).replace("--minutes 2\n", f"--minutes {LIMIT_S / 60}\n")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with (
        (tmp_path / "printed").open("wb") as printed,
        subprocess.Popen(
            [needed("bash"), "-ec", block],
            cwd=tmp_path,
            env=environment,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as job,
    ):
        try:
            end = time.monotonic() + LIMIT_S
            while job.poll() is None and time.monotonic() < end and not (found := sanitized(tmp_path)):
                time.sleep(0.2)
            os.killpg(job.pid, signal.SIGINT)
            job.wait(LIMIT_S)
        finally:
            job.kill()
    text = (tmp_path / "printed").read_text(encoding="utf-8")
    assert found, text
    assert "sanitizer [driver/crash] AddressSanitizer: heap-buffer-overflow in sums.c:17 in sums_add\n" in text
    assert "native edges counted)" in text
    assert "Traceback" not in text
    assert {known.kind for known, _ in read_saved(tmp_path / "out" / "findings")} == {FindingKind.SANITIZER}, text


def sanitized(folder: Path) -> bool:
    """Return True if a job that runs in a folder has found something that a sanitizer reports."""
    return any(known.kind is FindingKind.SANITIZER for known, _ in read_saved(folder / "out" / "findings"))


CALL = """
import ctypes, sys
sums = ctypes.CDLL(sys.argv[1])
floats = (ctypes.c_float * int(sys.argv[2]))(*range(int(sys.argv[2])))
result = (ctypes.c_float * len(floats))()
assert sums.sums_add(floats, floats, result, ctypes.c_size_t(len(floats))) == 0
assert list(result) == [2 * number for number in floats]
"""
EDGES = {
    "gcc": "-fsanitize-coverage=trace-pc",
    "clang": "-fsanitize=fuzzer-no-link",
    "clang guards": "-fsanitize-coverage=trace-pc-guard",
    "g++": "-fsanitize-coverage=trace-pc",
}


@pytest.fixture(params=EDGES)
def run(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Have a new process add numbers in a library that is compiled as the page says, without a sanitizer."""
    name = request.param.partition(" ")[0]
    compiler, library = needed(name), tmp_path / "libsums.so"
    options = ["-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", EDGES[request.param], "-o", str(library)]
    sources = [str(EXAMPLE / "sums.c")]
    if name == "g++":
        # A library in C++ compiles the file as C++, with which C's malloc of the example is none.
        (tmp_path / "sums.cpp").write_text(
            (EXAMPLE / "sums.c")
            .read_text(encoding="utf-8")
            .replace("= malloc", "= (float *)malloc")
            .replace("int sums_add", 'extern "C" int sums_add')
        )
        sources = ["-x", "c++", str(tmp_path / "sums.cpp")]
    subprocess.run([compiler, *options, *sources, str(SOURCE)], check=True)
    monkeypatch.setenv("NNVET_EDGES", "")

    def add(count: int) -> None:
        subprocess.run([sys.executable, "-c", CALL, str(library), str(count)], check=True)

    return add


def reached(edges: NativeEdges, run: Callable[[], None]) -> dict[int, int]:
    """Return the number of times that each edge is taken in a run, by its number."""
    for begin, size in edges.given:
        edges.memory[begin : begin + size] = bytes(size)
    run()
    list(edges.new())
    values = b"".join(edges.memory[begin : begin + size] for begin, size in edges.given)
    return {number: count for number, count in enumerate(values) if count}


def test_edges_of_another_process_are_counted(run: Callable[[int], None]) -> None:
    """Each run of the loop counts, processes that follow one another count in the same places, and none at rest."""
    edges = NativeEdges()
    run(1)
    list(edges.new())
    known = edges.count
    short, again = reached(edges, lambda: run(2)), reached(edges, lambda: run(2))
    long = reached(edges, lambda: run(20))
    assert short == again
    assert 0 < len(short) <= known <= edges.count
    assert set(short) == set(long)
    assert max(long.values()) >= 19
    assert max(short.values()) <= 3
    assert reached(edges, lambda: None) == {}


def test_without_the_variable_nothing_is_counted(run: Callable[[int], None]) -> None:
    """The library computes all the same."""
    run(20)


def test_two_libraries_have_edges_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same code in a library of another name has other counters."""
    monkeypatch.setenv("NNVET_EDGES", "")
    compiler = needed("gcc")
    libraries = [tmp_path / f"lib{name}.so" for name in ("one", "other")]
    for library in libraries:
        options = ["-O1", "-fPIC", "-shared", EDGES["gcc"], "-o", str(library)]
        subprocess.run([compiler, *options, str(EXAMPLE / "sums.c"), str(SOURCE)], check=True)
    edges = NativeEdges()
    counted = []
    for library in libraries:
        subprocess.run([sys.executable, "-c", CALL, str(library), "3"], check=True)
        counted.append(edges.count)
    assert 0 < counted[0] == counted[1] // 2


@pytest.fixture(scope="module")
def counted_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test library of the C API, whose edges are counted."""
    folder = built_in(tmp_path_factory.mktemp("counted"))
    compiler = [str(COMPILER), "-std=c++17", "-O0", "-fPIC", "-shared", "-pthread", f"-I{folder}"]
    edges = EDGES["clang guards" if "clang" in Path(str(COMPILER)).name else "g++"]
    library = folder / "libcounted.so"
    subprocess.run([*compiler, edges, "-o", str(library), str(folder / "library.cpp"), str(SOURCE)], check=True)
    return library


@pytest.mark.parametrize("selector", [pytest.param("ndk:{}#nnvet-native", marks=pytest.mark.long), "sl:{}"])
def test_edges_of_libraries_of_the_c_api_are_counted(
    counted_library: Path, selector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library in a service guides the fuzzer by whichever interface it is reached."""
    monkeypatch.setenv("NNVET_EDGES", "")
    edges = NativeEdges()
    with open_fuzzed(Target(selector.format(counted_library), timeout_s=60.0)) as target:
        list(edges.new())
        started = edges.count
        model = build_model(sum_of_two("sum", [[1.0]], [[2.0]], [[3.0]]))
        try:
            prepare(target.device, model)
        finally:
            close_pools(model)
        list(edges.new())
    assert 0 < started < edges.count
