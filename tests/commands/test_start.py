"""Modules that the command line loads before it has read its arguments."""

import signal
import subprocess
import sys
from pathlib import Path

from nnvet.adapters.service.activity import DEFAULT_LIMIT_MIB
from nnvet.commands.options import MEMORY_LIMIT_MIB

HEAVY = {"numpy", "msgspec", "jinja2", "psutil", "pytest", "hypothesis", "multiprocessing"}
PROGRAM = """
import sys
from typer.testing import CliRunner
from nnvet.commands.main import app
known = set(sys.modules)
result = CliRunner().invoke(app, ["run", "--help"])
assert "--memory-limit" in result.output
print(*sorted({name.partition(".")[0] for name in known}))
print(*sorted(name for name in sys.modules if name.startswith("nnvet.")))
"""

NEEDLESS = {
    *("numba", "distributed", "dask", "atheris", "hypothesis", "pytest", "torch", "onnx", "onnxruntime"),
    *("ai_edge_litert", "flatbuffers", "PIL", "nnvet.models", "nnvet.fuzz", "nnvet.adapters.litert.writing"),
}
"""Modules that a run of cases never needs, as long as none fails."""
RUN = """
import sys
from typer.testing import CliRunner
from nnvet.commands.main import app
arguments = ["run", "-d", "reference", "--in-process", "--only", "GeneratedTest/sync/add_float_*", "--out", sys.argv[1]]
result = CliRunner().invoke(app, arguments)
assert "no fault found" in result.output, result.output
print(*sorted(sys.modules))
"""

INTERRUPTED = """
import os, signal, sys


class Interrupts:
    def find_spec(self, name, *_):
        if name == "nnvet.commands.main":
            os.kill(os.getpid(), signal.SIGINT)


sys.meta_path.insert(0, Interrupts())
from nnvet.commands.__main__ import main
main()
"""


def test_help_loads_no_command() -> None:
    """Neither the libraries that commands need nor any package but that of the command line."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)
    libraries, modules = (set(line.split()) for line in done.stdout.splitlines())
    assert not libraries & HEAVY
    assert {name.split(".")[1] for name in modules} == {"commands"}


def test_a_run_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    """No library of an extra, and nothing that writes files of other formats."""
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sorted(NEEDLESS & set(done.stdout.split())) == []


def test_the_default_memory_limit_is_that_of_the_adapters() -> None:
    """The one number that help states and the adapters know."""
    assert MEMORY_LIMIT_MIB == DEFAULT_LIMIT_MIB


def test_an_interrupt_while_it_starts_prints_nothing() -> None:
    """The process ends by the signal, as shells expect, without a traceback."""
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", begin + INTERRUPTED], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
