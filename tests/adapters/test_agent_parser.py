"""The agent's parser under sanitizers: no bytes of suite or driver make it read or write outside its memory."""

import subprocess
from pathlib import Path

import pytest

from tests.adapters.agents import COMPILER, ROOT

CONVERSATIONS = 10_000
SANITIZED = ("-std=c++17", "-O1", "-g", "-pthread", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


@pytest.mark.long
@pytest.mark.skipif(COMPILER is None, reason="there is no compiler of C++ to build the agent with")
def test_the_agent_survives_mutated_conversations(tmp_path: Path) -> None:
    """It refuses them, or serves what is still valid; `make agent-fuzz` looks further, guided by coverage."""
    parts = [*(ROOT / "agent").glob("*.cpp"), *(ROOT / "agent" / "fuzz").glob("*.cpp")]
    source = tmp_path / "all.cc"
    source.write_text("".join(f'#include "{part}"\n' for part in parts if part.name not in ("main.cpp", "process.cpp")))
    program = tmp_path / "mutate"
    subprocess.run([str(COMPILER), *SANITIZED, "-o", program, source], check=True)
    run = subprocess.run([program, str(CONVERSATIONS)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, f"{CONVERSATIONS} conversations\n"), run.stderr[-3000:]
    assert "no such kind of message" in run.stderr
