"""The first hour, literally: an environment, the wheel, a new driver, and three bugs one after the other in it.

Whatever an author planted, the first screen that nnvet shows says what is wrong and where.
"""

import re
import shlex
import sys
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pytest

from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT
from tests.packaging.conftest import ended, run_plain

# An environment of its own, with all that nnvet depends on; tests/commands/test_first_hour.py is short.
pytestmark = pytest.mark.long

LINES: Final = 24
"""Of a terminal as it opens."""
MODULE: Final = "my_npu.py"
DRIVER: Final = f"python:{MODULE}:MyNpu"


class Bug(NamedTuple):
    """``sound`` text of the driver that becomes ``wrong``; what the first screens of two commands have to name."""

    sound: str
    wrong: str
    operation: str
    by_smoke: tuple[str, ...]
    by_run: tuple[str, ...]


BUGS: Final = {
    # Half precision has 11 bits: what an NPU does that adds in float16.
    "wrong rounding": Bug(
        "np.clip(first + second, *CLIPS[int(activation)])",
        "np.clip(np.float32(np.float16(first + second)), *CLIPS[int(activation)])",
        "ADD",
        ("FAIL ADD of TENSOR_FLOAT32", "execution/output.value", "docs/contract/operations/ADD.md"),
        ("ADD", "execution/output.value", "allowed difference"),
    ),
    "ignored bad model": Bug(
        "    def supports(self",
        '    def check_model(self, model):\n        """The compiler will see."""\n\n    def supports(self',
        "ADD",
        ("answers success, not INVALID_ARGUMENT", "the operations form a cycle", "model/order.read_before_write"),
        ("answers success, not INVALID_ARGUMENT", "ADD/types", "operand 3 is TENSOR_QUANT8_ASYMM, not TENSOR_FLOAT32"),
    ),
    "segfault": Bug(
        "    return np.maximum(values, 0)",
        '    __import__("ctypes").memset(0, 0, values.nbytes)\n    return np.maximum(values, 0)',
        "RELU",
        ("CRASH RELU of TENSOR_FLOAT32", "SIGSEGV in my_npu.py:{line} in relu"),
        ("CRASH", "SIGSEGV in my_npu.py:{line} in relu"),
    ),
}


class Hour(NamedTuple):
    """The environment's programs, and the folder of the new driver."""

    programs: Path
    project: Path

    def nnvet(self, *arguments: str, columns: int = 80) -> tuple[int, str]:
        """Exit code and output of a command, in a window of so many columns."""
        done = ended(self.programs / "nnvet", *arguments, cwd=self.project, COLUMNS=str(columns))
        return done.returncode, done.stdout


@pytest.fixture(scope="module")
def hour(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Hour:
    """Everything that an author types before the first line of code."""
    home = tmp_path_factory.mktemp("home")
    run_plain(sys.executable, "-m", "venv", "venv", cwd=home)
    programs = home / "venv" / "bin"
    pip = (programs / "python", "-m", "pip", "--disable-pip-version-check")
    installed = ended(*pip, "install", wheel, cwd=home)
    if installed.returncode:
        # Not for want of a registry: then it is the wheel's fault.
        other = ended(*pip, "download", "--no-deps", "iniconfig", cwd=home)
        assert other.returncode != 0, installed.stdout
        pytest.skip(f"no package registry can be reached: {other.stdout.strip().splitlines()[-1]}")
    said = run_plain(programs / "nnvet", "new-driver", "my-npu", cwd=home)
    assert f"cd my-npu && nnvet smoke -d {DRIVER}" in said
    return Hour(programs, home / "my-npu")


def screen(text: str, columns: int) -> str:
    """The first 24 lines of a window, joined again where the window broke them."""
    shown, left = [], LINES
    for line in text.splitlines():
        rows = max(1, -(-len(line) // columns))
        shown.append(line[: left * columns])
        left -= rows
        if left <= 0:
            break
    return "\n".join(shown)


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        pytest.param(columns, name, marks=() if (columns, name) == (80, "segfault") else pytest.mark.long)
        for columns in (80, 100)
        for name in BUGS
    ],
)
def test_the_first_screen_names_the_cause(hour: Hour, name: str, columns: int) -> None:
    """Of ``nnvet smoke`` and of ``nnvet run --op``; the command under the failure shows it again."""
    bug, module = BUGS[name], hour.project / MODULE
    sound = module.read_text()
    assert sound.count(bug.sound) == 1
    wrong = sound.replace(bug.sound, bug.wrong)
    line = wrong[: wrong.index(bug.wrong)].count("\n") + 1
    module.write_text(wrong)
    try:
        code, smoked = hour.nnvet("smoke", "-d", DRIVER, columns=columns)
        assert code == EXIT_NOT_CONFORMANT, smoked
        _names(bug.by_smoke, line, screen(smoked, columns))
        # Each death costs two starts of the driver: a few say as much as all.
        few = ("--only", "GeneratedTest/sync/*") if name == "segfault" else ()
        code, ran = hour.nnvet("run", "-d", DRIVER, "--op", bug.operation, *few, columns=columns)
        assert code == EXIT_NOT_CONFORMANT, ran
        _names(bug.by_run, line, screen(ran, columns))
        if name == "wrong rounding":
            assert _is_half(screen(smoked, columns))
        replays = [line.strip() for line in (smoked + ran).splitlines() if line.strip().startswith("nnvet replay ")]
        for command in {replays[0], replays[-1]}:
            code, again = hour.nnvet(*shlex.split(command)[1:])
            assert (code, "Traceback" in again) == (EXIT_NOT_CONFORMANT, False), again
    finally:
        module.write_text(sound)


def _names(parts: tuple[str, ...], line: int, seen: str) -> None:
    missing = [part for part in parts if part.format(line=line) not in seen]
    assert not missing, f"not on the first screen: {missing}\n{seen}"


def _is_half(text: str) -> bool:
    """Return True if the value that is called wrong is one of float16, and the expected one is none."""
    found = re.search(r"expected (\S+), got (\S+),", text)
    assert found, text
    # Six digits are shown.
    expected, got = (
        abs(float(np.float16(float(group))) - float(group)) < 1e-5 * abs(float(group)) for group in found.groups()
    )
    return got and not expected


def test_the_driver_as_it_was_made(hour: Hour) -> None:
    """Nothing is wrong with it, and the tests in its folder pass in the environment that has nnvet alone."""
    code, said = hour.nnvet("smoke", "-d", DRIVER)
    assert (code, "WRONG" in said) == (EXIT_CONFORMANT, False), said
    assert "3 passed" in run_plain(hour.programs / "python", "-m", "pytest", "-q", cwd=hour.project)
