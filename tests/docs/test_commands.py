"""Every command line of the pages works: it is run here, in a short form, in a folder with what it speaks of."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
import typer

from nnvet.adapters import open_driver
from nnvet.commands.main import app
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection
from nnvet.reference_driver.zoo.registry import bugs
from tests.commands.test_utilities import SPEC, nnvet, words
from tests.docs.pages import ROOT, all_commands, commands_in, fences, pages
from tests.models.toys.folder import write_toys
from tests.models.toys.networks import mobilenet_v1

EXCEPTIONS: Final = {
    "nnvet report out --issue FINGERPRINT": "wants a run with a fault; tests/reports/test_issue_text.py has one",
    "nnvet report out --badge badge.svg": "wants a run; the same test has one",
    ".ci/run": "runs all tests",
    "nnvet explain com.example.gelu::GELU": "wants the extension of the page; test_own_operation.py writes it",
    "nnvet explain nnvet.next::GELU": "wants NNVET_EXTENSIONS, which the page sets before",
    "nnvet serve -d ndk:./libmynnapi.so": "wants a library of the NNAPI",
    "python -m docs.shown": "writes into the repository; tests/docs/test_shown.py compares that",
    "python -m docs.pictures": "writes into the repository, with Chromium",
    "python -m nnvet.reports.schema": "writes into the repository; tests/reports/test_events.py compares that",
    "python -m nnvet.adapters.nnapi.header": "wants the extra ndk; tests/adapters/test_nnapi.py compiles the header",
    "python -m tests.formats.onnx_nodes": "writes into the repository; a long test compares that",
    "python -m nnvet.generators.corpus --check": "takes minutes; tests/generators/corpus/test_writing.py does the same",
    "python -m nnvet.generators.corpus --extension com.example.gelu --folder specs": "test_own_operation.py does it",
    "python -m nnvet.generators.corpus --extension nnvet.next --folder specs": "as the one above",
    "python -m tools.oracle_study --only 'nnvet.next::*' --comparisons 30000 --count 1 --seed 20261129": "an hour",
    "python -m tools.mutants --part declarations --against specs --count 100 --seed 7310428": "takes hours",
    "python -m tools.mutants --part kernels --against random --count 100 --seed 1": "the same",
    "python -m tools.mutants --part kernels --against specs --count 60 --seed 42": "the same",
    "python -m tools.mutants --part kernels --against checks --count 20 --seed 1": "takes minutes",
    "python -m tools.mutants --part fused --against preferences --count 26 --seed 90317726": "the same",
    "python -m tools.oracle_study --only 'RELU*' --count 2 --comparisons 1000": "tests/tools does with less",
    "python -m tools.oracle_study --comparisons 300000 --seed 20261127000": "takes an hour",
    "pytest --driver=DRIVER -m stress": "runs all of them; tests/conformance/stress/test_items.py runs one",
    "make -C docs/examples/cpp BUILD=$PWD/build CXXFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover'": (
        "wants a compiler; tests/adapters/test_cpp_service.py builds it"
    ),
    "nnvet replay CASE -d exec:build/service": "wants a compiler; tests/adapters/test_native_faults.py has one",
    "nnvet replay CASE -d ndk:BUILD/libdriver.so --memory-limit 0": "the same",
    "nnvet run -d exec:build/service": "wants a compiler; tests/adapters/test_cpp_service.py builds it",
    "nnvet run -d onnxruntime:library=qnn,backend=htp": "wants the extra qnn; tests/adapters/test_qnn.py has it",
    "nnvet run -d onnxruntime:provider=WebGpu": "wants the extra webgpu; tests/adapters/test_webgpu.py has it",
    "nnvet smoke -d onnxruntime:provider=WebGpu": "the same",
    "nnvet run -d tcp:board:7311": "wants an agent; tests/adapters/test_remote.py has one",
    "nnvet run -d ssh:board//opt/npu/service": "the same",
    "nnvet run -d adb:R58M123/./my_service,push=build/android/my_service": "wants a phone; see test_roads.py",
    "nnvet smoke -d jax": "wants the extra jax; tests/adapters/test_jax.py has it",
    "nnvet run -d openvino": "wants the extra openvino; tests/adapters/test_openvino.py has it",
    "nnvet run -d openvino:CPU,precision=f32": "the same",
    "nnvet run -d openvino:GPU": "the same, and a GPU",
    "nnvet run -d jax": "wants the extra jax; tests/adapters/test_jax.py has it",
    "nnvet run -d jax:cpu,half=float16": "the same",
    "nnvet run -d jax:cpu,relaxed=bfloat16": "the same",
    "nnvet run -d ndk:./libdriver.so --sandbox --sandbox-device /dev/my_npu": "wants a device; see test_sandbox.py",
    "nnvet versions -d litert --last 5": "wants a package index; tests/commands/test_versions.py has one",
    "nnvet verify result.json --log out/run.jsonl -d DRIVER": "wants an envelope; see test_snippets.py",
    "nnvet new-driver my-npu --kind cpp && cd my-npu": "tests/commands/test_new_native_driver.py runs the quick starts",
    "nnvet new-driver my-nnapi --kind ndk && cd my-nnapi": "the same",
    "nnvet new-driver my-sl --kind sl && cd my-sl": "the same",
    "nnvet new-driver my-delegate --kind delegate && cd my-delegate": "the same",
    "nnvet smoke -d exec:build/plain/service": "the same",
    "nnvet smoke -d ndk:build/plain/libdriver.so": "the same",
    "nnvet smoke -d sl:build/plain/libdriver.so": "the same",
    "nnvet smoke -d litert:delegate=build/plain/libdriver.so": "the same",
    "nnvet smoke -d exec:build/asan/service": "the same of the tutorial",
    "nnvet run -d exec:build/asan/service --only 'GeneratedTest/sync/relu_float*'": "the same",
    "nnvet replay GeneratedTest/sync/relu_float_rank1 -d exec:build/asan/service": "the same",
    "nnvet run -d exec:build/asan/service --op ABS": "wants an operation that the reader writes",
    "nnvet run -d ndk:/path/to/libneuralnetworks.so": "wants a library; tests/adapters/test_nnapi.py has one",
    "nnvet run -d ndk:/path/to/libneuralnetworks.so#nnapi-reference": "the same",
    "nnvet run -d ndk:./libneuralnetworks.so": "the same",
    "nnvet run -d sl:./libmy_support_library.so": "the same",
    "nnvet run -d litert:delegate=./libmy_delegate.so,precision=fp16": (
        "wants a library; tests/adapters/test_litert_delegate.py builds one"
    ),
    'nnvet run -d "files:python3 runner.py,format=tflite,batch=64"': "wants a runner: tests/commands/test_bundles.py",
    "nnvet bundle --as tflite --op CONV_2D --out bundle": "takes a minute; see tests/commands/test_bundles.py",
    "nnvet bundle": "the same",
    "nnvet run -d files:COMMAND": "wants a runner: tests/commands/test_bundles.py",
    "nnvet run -d files:./runner,format=onnx,batch=64": "the same",
    "nnvet run -d answers:bundle --only 'GeneratedTest/sync/*'": "wants a bundle: tests/commands/test_bundles.py",
    "nnvet judge bundle --out out": "the same",
    'nnvet judge bundle --command "python3 bundle/runner.py" --batch 64 --timeout 60': "the same",
    "nnvet export-driver": "wants a compiler of C; tests/adapters/test_exported.py exports drivers",
    "nnvet export-driver --out libneuralnetworks.so": "the same",
    "nnvet export-driver -d DRIVER --out LIB.so": "the same",
    "nnvet export-driver -d A -d B": "the same",
    "nnvet export-driver -d reference -d python:./driver.py:create --out libneuralnetworks.so": "the same",
    "nnvet --install-completion": "writes into the home folder; tests/commands/test_completion.py does so",
    "nnvet run -d reference --cluster tcp://HOST:8786": "wants a scheduler; tests/conformance/cluster starts one",
    "nnvet random --cluster ADDRESS": "the same",
    "nnvet stress --cluster ADDRESS": "the same",
    "nnvet fuzz --cluster ADDRESS": "the same",
    "nnvet fuzz -d DRIVER --minutes 480 --cluster tcp://HOST:8786 --corpus corpus --out out": "the same",
    "nnvet bench --cluster ADDRESS": "the same",
    "nnvet run -d DRIVER --cluster ADDRESS": "the same",
}
"""Commands that are not run here, and why."""

STANDS_FOR: Final = {
    "KIND:ARGUMENTS": "python:driver.py:create",
    "SPEC[:CASE]": "relu.mod.py",
    "SPEC:CASE": "relu.mod.py:relu_of_2",
    "SUITE/NAME": "BasicTest/GetCap",
    "zoo:NAME": "zoo:cache-read-twice",
    "EXTENSION::": "nnvet.example::",
    "/run/my.sock": "driver.sock",
    "MYDRIVER": "reference",
    "-d OLD -d NEW": "-d reference -d reference",
    "DRIVER": "reference",
    "FOLDER": "folder",
    "FILE": "file",
    "PATH": "served.sock",
    "ID": "CONV_2D/bias.length",
    "HARNESS": "model",
}
"""Contents of the folder of :func:`workspace` for words of the pages that stand for something."""

SERVICE: Final = f"""#!/bin/sh
exec {shlex.quote(sys.executable)} -P -m nnvet.adapters.service.main --fd $NNVET_SOCKET_FD reference
"""

SAID: Final = {
    "nnvet run": (0, "every judged case passed: "),
    "nnvet run -d zoo:cache-read-twice": (1, "nnvet-reference: not conformant"),
    # Shortened, a run is conformant to nothing.
    "nnvet run -d reference --profile": (1, "not conformant to vision-int8"),
    "nnvet report a/run.jsonl b/run.jsonl --out whole --profile": (1, "not conformant to vision-int8"),
    "nnvet profiles": (0, "vision-int8"),
    "nnvet judge": (2, "Missing argument 'DIR'"),
    "nnvet verify": (2, "Missing argument 'RESULT'"),
    "nnvet verify out/result.json": (0, "log, corpus and driver match"),
    "nnvet campaign": (0, "nnvet run -d reference --out nightly/conformance"),
    "nnvet new-driver": (0, "now: cd "),
    "nnvet smoke": (0, "nothing is wrong at first sight"),
    "nnvet bench": (0, "report: out/report.html"),
    "nnvet triage": (0, "no fault to forgive"),
    "nnvet scoreboard": (0, "/index.html"),
    "nnvet history": (0, "page: "),
    "nnvet upgrade": (0, "safe to upgrade"),
    "nnvet diff": (0, "0 worse, 0 better"),
    "nnvet random": (0, "elements undecided"),
    "nnvet replay": (0, "PASS"),
    "nnvet reduce": (0, "saved: out/failures/"),
    "nnvet report": (0, "/summary.md"),
    "nnvet explain": (2, "Missing argument 'THING'"),
    "nnvet explain CONV_2D": (0, "# CONV_2D"),
    "nnvet explain ADD": (0, "# ADD"),
    "nnvet explain docs/waivers.md": (0, "# Known failures"),
    "nnvet explain docs/contract/operations/ADD.md": (0, "# ADD"),
    "nnvet explain NOT_RUN": (0, "so there is no result"),
    "nnvet drivers": (0, "python:FILE.py:FACTORY"),
    "nnvet rules": (0, "CONV_2D/bias.length"),
    "nnvet rules 'nnvet.example::*'": (0, "nnvet.example::ADD_FIXED64/broadcast"),
    "nnvet rules CONV_2D/bias.scale": (0, "who breaks it gets GENERAL_FAILURE"),
    "nnvet rules 'ADD/*'": (0, "ADD/ranks"),
    "nnvet zoo": (0, "zoo:cache-read-twice"),
    "nnvet zoo 'fuzz-*'": (0, "found by nnvet fuzz"),
    "nnvet zoo 'value-*'": (0, "depends on padding SAME"),
    "nnvet zoo 'stress-*'": (0, "nnvet stress --only"),
    "nnvet fuzz": (0, "report: out/report.html"),
    "nnvet fuzz model -d reference --input": (0, "nothing is found"),
    "nnvet fuzz request --native-counters": (0, "native_counters.c"),
    "nnvet stress": (0, "every judged case passed: 1"),
    "nnvet stress --list": (0, "MemoryMappedModelLoad"),
    "nnvet graph": (0, '0: RELU"]'),
    "nnvet export": (0, '"RELU"'),
    "nnvet capabilities": (0, "relative to LiteRT"),
    "nnvet mine": (0, "now: nnvet run -d DRIVER --specs mined"),
    "nnvet locate": (0, "no operation is wrong by itself"),
    "nnvet partition": (2, "Missing argument 'MODEL'"),
    "nnvet partition net.tflite": (0, "steps: "),
    "nnvet export relu.mod.py:relu_of_2 --out": (0, ""),
}
"""Exit code and something that is printed, by what the command begins with; the longest beginning counts."""

SHORT_CAMPAIGN: Final = ("--count", "3")
SHORT_FUZZING: Final = ("--minutes", "0.05")
SHORT_STRESS: Final = ("--only", "MemoryMappedModelLoad", "--scale", "0.05")
SHORT_MEASURING: Final = ("--only", "mobilenet_v1_0.2_64_quant", "--seconds", "0", "--warm-up", "0")


def without(parts: list[str], *options: str) -> list[str]:
    """The words without options and their values: one that is repeated counts as it is given last."""
    return [
        word
        for place, word in enumerate(parts)
        if word not in options and (not place or parts[place - 1] not in options)
    ]


def short_stress(parts: list[str]) -> list[str]:
    """One test of little load, or the list as it is."""
    return parts if "--list" in parts else [*without(parts, "--minutes", "--only"), *SHORT_STRESS]


def short_fuzzing(parts: list[str]) -> list[str]:
    """One harness for some seconds, or an input: any file is one."""
    if "--input" in parts:
        return [*parts[:-1], "relu.mod.py"]
    return [*parts[:2], "request", *parts[2:], *SHORT_FUZZING]


def short_measuring(parts: list[str]) -> list[str]:
    """One network of the bundled zoo, or of the folder that a page speaks of, for a short time."""
    load = ("--target-qps", "100", "--scenario-time", "0.1s") if "server" in parts else ()
    parts = [*("1s" if word == "20m" else word for word in parts), *load]
    if "--models" not in parts:
        return [*parts, *SHORT_MEASURING]
    kept = without(parts, "--only") if "--only" in parts else parts
    return [
        *kept,
        *(word.replace("mobilenet_v1_0.2_64_quant", "toy_mobilenet_v1_quant") for word in SHORT_MEASURING),
    ]


SHORTER: Final[dict[str, Callable[[list[str]], list[str]]]] = {
    "bench": short_measuring,
    "capabilities": lambda parts: [*parts, "--only", "mobilenet_v1_0.2_64_quant", "--seconds", "0"],
    "random": lambda parts: [*without(parts, "--minutes"), *SHORT_CAMPAIGN],
    "stress": short_stress,
    "upgrade": lambda parts: [*parts, "--only", "BasicTest/*"],
    "fuzz": short_fuzzing,
    # The run before was of the driver in the folder.
    "verify": lambda parts: ["python:driver.py:create" if word == "reference" else word for word in parts],
}
"""Short forms of commands that would take long; runs are shortened by their cases."""


def shortened(command: str) -> list[str]:
    """The words of a command that is to be run: less of what takes long, and what stands for something replaced.

    A run without a choice of cases takes those of one suite, that of a wrong driver those that find the bug; of the
    cases that a glob selects the first is run; a benchmark measures one network once, a
    campaign has three models.
    """
    for word, instead in STANDS_FOR.items():
        command = re.sub(rf"(?<![A-Z]){re.escape(word)}(?![A-Z])", instead, command)
    parts = shlex.split(command)
    if parts[1] in SHORTER:
        return SHORTER[parts[1]](parts)
    if parts[:2] != ["nnvet", "run"] or "--specs" in parts:
        return parts
    if "--only" in parts:
        place = parts.index("--only") + 1
        return [*parts[:place], first_of(parts[place], full="--full" in parts), *parts[place + 1 :]]
    if "--bench" in parts:
        # The bundled networks take two minutes; tests/commands/test_bench.py measures one of them.
        return [*parts, "--models", "one_model", "--only", "BasicTest/*"]
    bug = parts[-1].removeprefix("zoo:")
    return [*parts, "--only", next(iter(bugs()[bug].breaks if bug in bugs() else ()), "BasicTest/*")]


def first_of(glob: str, *, full: bool) -> str:
    """The first case that a glob of the pages selects from the usual run, or from all."""
    case = next(Catalogue().cases(Selection((glob,), full=full)), None)
    assert case is not None, f"{glob} selects nothing"
    return case.id


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with drivers, services, specs and models by the names that the pages use."""
    folder = tmp_path_factory.mktemp("workspace")
    write_toys(folder / "folder")
    shutil.copytree(folder / "folder", folder / "one_model")
    (lists,) = (folder / "one_model").glob("models_list")
    shutil.rmtree(lists)
    lists.mkdir()
    golden = json.loads((folder / "folder" / lists.name / "golden.json").read_text())
    (lists / "golden.json").write_text(json.dumps({"models": golden["models"][1:2]}))
    for name in ("relu.mod.py", "folder/relu.mod.py", "specs/relu.mod.py", "mined/relu.mod.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(SPEC)
    for name in ("net.tflite", "other.tflite"):
        (folder / name).write_bytes(mobilenet_v1(quantized=False))
    (folder / "docs").symlink_to(ROOT / "docs")
    (folder / "waivers.toml").write_text(next(fences(ROOT / "docs/waivers.md")).text)
    (folder / "my_package").mkdir()
    for name in ("driver.py", "my_package/driver.py"):
        (folder / name).write_text("from nnvet.driver_kit.base_device import BaseDevice as create\n")
    for name in ("my_service", "wide_driver"):
        (folder / name).write_text(SERVICE)
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def inside(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of :func:`workspace`, which is the current one, on the path of imports and without results."""
    monkeypatch.chdir(workspace)
    path = [str(workspace), str(ROOT / "src"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path).rstrip(os.pathsep))
    for results in ("out", "before", "after"):
        shutil.rmtree(results, ignore_errors=True)
    return workspace


@pytest.fixture
def served(inside: Path) -> Iterator[None]:
    """A service listens on the socket that the pages name."""
    with serving(["nnvet", "serve", "-d", "python:driver.py:create", "--socket", "driver.sock"]):
        yield


class serving:  # noqa: N801 - a context manager
    """``nnvet serve``, from when it is ready until it has ended in order."""

    def __init__(self, command: list[str]) -> None:
        """Start the command."""
        self._process = subprocess.Popen(in_python(command), stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> None:
        """Wait until clients can connect."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def __exit__(self, *_: object) -> None:
        """End it as a user would."""
        self._process.terminate()
        self._process.communicate()
        assert self._process.returncode == 0


def in_python(command: list[str]) -> list[str]:
    """A command of ours, run by the interpreter of the tests."""
    module = {"nnvet": "nnvet.commands", "pytest": "pytest"}[command[0]]
    return [sys.executable, "-m", module, *command[1:]]


COMMANDS: Final = [command for command in all_commands() if command not in EXCEPTIONS]


def of(program: str) -> list[str]:
    """The commands of the pages that begin so."""
    return [command for command in COMMANDS if f"{command} ".startswith(f"{program} ")]


OURS: Final = [command for command in of("nnvet") if command not in of("nnvet serve")]


DEAR: Final = ("nnvet fuzz", "nnvet bench", "nnvet run --bench", "nnvet run -d torch", "nnvet stress", "nnvet random")
"""Commands that take long even if shortened: of those that begin so only the one with most options is usual."""
USUAL: Final = {max(alike, key=len) for dear in DEAR if (alike := of(dear))}


def is_long(command: str) -> bool:
    """Return True if a command of the same kind, with more options, is run anyway."""
    return any(command in of(dear) for dear in DEAR) and command not in USUAL


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "command", [pytest.param(command, marks=pytest.mark.long if is_long(command) else ()) for command in OURS]
)
def test_commands_work(inside: Path, command: str, request: pytest.FixtureRequest) -> None:
    """Each ends with its exit code and prints what it is there for."""
    if "unix:" in command:
        request.getfixturevalue("served")
    if "--scenario" in command:
        pytest.importorskip("mlperf_loadgen", reason="mlcommons-loadgen (extra loadgen) is not installed")
    logs = re.findall(r"(\w+)/run\.jsonl", command)
    for number, log in enumerate(logs, 1):
        shard = f"{number}/{len(logs)}" if command.startswith("nnvet report") else "1/1"
        nnvet("run", "-d", "python:driver.py:create", "--only", "BasicTest/*", "--shard", shard, "--out", log)
    parts = shortened(command)
    if parts[1] == "history":
        nnvet("run", "--only", "BasicTest/*", "--history", parts[2])
    result = nnvet(*parts[1:])
    exit_code, said = SAID[max((beginning for beginning in SAID if shlex.join(parts).startswith(beginning)), key=len)]
    assert (result.exit_code, "Traceback" in result.output) == (exit_code, False), result.output
    assert said in words(result)
    for option in ("--out", "--trace"):
        assert option not in parts or (inside / parts[parts.index(option) + 1]).stat().st_size


@pytest.mark.parametrize("command", of("nnvet serve"))
@pytest.mark.usefixtures("inside")
def test_services_start_and_end(command: str) -> None:
    """A client reaches the driver while the service runs; ended, the service leaves no socket."""
    parts = shortened(command)
    path = parts[parts.index("--socket") + 1] if "--socket" in parts else "nnvet.sock"
    with serving(parts), open_driver(f"unix:{path}") as driver:
        assert driver.device.name == "nnvet-reference"
    assert not Path(path).exists()


@pytest.mark.parametrize("command", of("pytest"))
@pytest.mark.usefixtures("inside")
def test_pytest_runs_the_suite(command: str) -> None:
    """A folder brings its specs and the checks; of both some are run."""
    chosen = ["-k", "relu_of_1 and sync or GetCapabilities", "-p", "no:cacheprovider"]
    done = subprocess.run(in_python([*shortened(command), *chosen]), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"\b[1-9]\d* passed, \d+ deselected", done.stdout)


@pytest.mark.parametrize("command", of("make"))
def test_targets_exist(command: str) -> None:
    """The targets are there, and each has something to do."""
    for target in (word for word in command.split()[1:] if "=" not in word):
        dry = [shutil.which("make") or "make", "-n", "-B", target]
        done = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert re.search(
            r"^(?:\w+=\S+ )?(?:(?:\.venv|out/[\w-]+)/bin/(?!python -m pip install)|out/agent-fuzz/fuzzer )",
            done.stdout,
            re.MULTILINE,
        ), done.stdout


def test_every_command_is_run_or_excepted() -> None:
    """No command of the pages is left out, and no exception or stand-in is there for a command that is gone."""
    run = {*OURS, *of("nnvet serve"), *of("pytest"), *of("make")}
    assert run | EXCEPTIONS.keys() == set(all_commands())
    assert [word for word in STANDS_FOR if not any(word in command for command in run)] == []
    for beginning in SAID:
        assert any(shlex.join(shortened(command)).startswith(beginning) for command in run), beginning


def test_every_command_of_ours_is_on_some_page() -> None:
    """Nobody has to find a command out: ``nnvet report`` and its like are written about."""
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages())
    assert {name for name in known if f"nnvet {name}" not in text} == set()


PAGE = """Type `nnvet zoo`, `--full` or `nnvet.hal`; `nnvet
drivers` too.

```console
$ nnvet run -d a     # a comment
38  PASS
```

```sh
make run
```

| `make test` | `make_capabilities` |
"""


def test_what_is_a_command() -> None:
    """Lines of blocks with or without prompt, and code in sentences and tables; options, names and output are none."""
    assert commands_in(PAGE) == ["nnvet run -d a", "make run", "nnvet zoo", "nnvet drivers", "make test"]


def test_options_on_the_pages_exist() -> None:
    """Every option that a sentence names belongs to a command, to pytest, to a module that is run, or to a compiler."""
    commands = typer.main.get_command(app).commands.values()  # type: ignore[attr-defined]
    known = {
        name
        for command in commands
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages() if "contract" not in page.parts)
    named = set(re.findall(r"`(--?[a-z][a-z-]*)[ =`]", text))
    assert len(named) > 10
    assert named - known <= {
        "--driver",
        "--no-checks",
        "--checks",
        "--runxfail",  # of pytest
        "-m",
        "--help",
        "--version",
        "--nnsmith",
        "-fsanitize",
        "-fsanitize-coverage",
        "-fno-omit-frame-pointer",
        "-g",
        "--cap-add",  # of docker
        "--host",  # of dask
        "--listen",  # of nnvet-agent, as the four that follow
        "--silence",
        "--once",
        "--stdio",
        "--token-file",
        "--comparisons",  # of tools.oracle_study
    }
