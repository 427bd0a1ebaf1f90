"""Completion in the shell, asked for as the shells' scripts ask: bash by COMP_WORDS, zsh and fish by the whole line.

Expected: commands, options and names as the pages have them, written down here.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = shutil.which("bash") or "bash"
PROGRAM = (sys.executable, "-m", "nnvet.commands")


def completed(line: str, shell: str = "bash") -> list[str]:
    """Return the completions at the end of a line."""
    words = line.split(" ")
    asked = {
        "_NNVET_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run(PROGRAM, env={**os.environ, **asked}, check=True, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout.splitlines() if done.stdout.strip() else []


OFFERED = [
    ("nnvet re", {"replay", "reduce", "report"}),
    ("nnvet replay --mem", {"--memory-limit"}),
    ("nnvet run --last", {"--last-failed"}),
    ("nnvet run -d o", {"onnxruntime", "openvino"}),
    ("nnvet run --driver re", {"reference"}),
    ("nnvet run -d reference --driver un", {"unix"}),
    ("nnvet bench -d li", {"litert"}),
    ("nnvet random -d to", {"torch"}),
    ("nnvet fuzz model -d zo", {"zoo"}),
    ("nnvet stress -d ex", {"exec"}),
    ("nnvet replay BasicTest/CycleTest -d py", {"python"}),
    ("nnvet smoke -d nd", {"ndk"}),
    ("nnvet run --op CONV", {"CONV_2D"}),
    ("nnvet run --op conv", {"conv_2d"}),
    ("nnvet run --op RESHAPE --op L2", {"L2_NORMALIZATION", "L2_POOL_2D"}),
    ("nnvet run --suite GeneratedV", {"GeneratedValidationTest"}),
    ("nnvet fuzz d", {"differential"}),
    ("nnvet zoo cache-r", {"cache-read-twice"}),
    ("nnvet stress --only CacheS", {"CacheStorm"}),
    ("nnvet rules PRELU/alpha.o", {"PRELU/alpha.omitted"}),
    ("nnvet run --op NOTHING", set()),
    ("nnvet run --out ", set()),
]


USUAL = ("nnvet re", "nnvet run -d o", "nnvet run --op conv", "nnvet fuzz d", "nnvet zoo cache-r", "nnvet run --out ")
"""One line for each kind of what is offered: commands, drivers, operations, other names, and nothing."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("line", "expected"),
    [pytest.param(*offer, marks=() if offer[0] in USUAL else pytest.mark.long) for offer in OFFERED],
    ids=[line for line, _ in OFFERED],
)
def test_offered_to_bash(line: str, expected: set[str]) -> None:
    """All that can follow, and nothing else; where nothing is offered bash goes on to names of files."""
    assert set(completed(line)) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_offered_to_other_shells(shell: str) -> None:
    """With what it leads to beside each kind of driver."""
    (line,) = (line for line in completed("nnvet run -d zo", shell) if "zoo" in line)
    assert "planted bug" in line


def test_commands_are_those_of_the_help() -> None:
    """Each is offered, and nothing besides."""
    help_text = subprocess.run([*PROGRAM, "--help"], check=True, capture_output=True, text=True).stdout
    listed = [line.split()[0] for line in help_text.partition("Commands:\n")[2].splitlines() if line[2:3].strip()]
    assert completed("nnvet ") == listed


def test_bash_completes_once_it_is_installed(tmp_path: Path) -> None:
    """The script that --install-completion writes does what bash then asks it to do."""
    program = tmp_path / "nnvet"
    program.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    # The shell is found by looking at the parents of the process; one that ends with exec would be none of them.
    install = "nnvet --install-completion; true"
    subprocess.run([BASH, "-c", install], env=environment, check=True, capture_output=True)
    ask = """
        source ~/.bashrc
        COMP_WORDS=(nnvet run --suite GeneratedV) COMP_CWORD=3
        $(complete -p nnvet | sed 's/.*-F \\([^ ]*\\) .*/\\1/') nnvet
        echo "${COMPREPLY[@]}"
    """
    done = subprocess.run([BASH, "-c", ask], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["GeneratedValidationTest"]


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    """That is said in one line, and is no fault of the suite."""
    home = tmp_path / "home"
    home.write_text("a file in the folder's place")
    environment = {**os.environ, "HOME": str(home)}
    command = f"{' '.join(PROGRAM)} --install-completion; exit $?"
    done = subprocess.run([BASH, "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--show-completion" in done.stderr
    assert len(done.stderr.splitlines()) == 1
