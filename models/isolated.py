"""Runs a file on LiteRT in a process of its own, which is lost if LiteRT trusts a damaged file.

As a module it reads a file from standard input, the shape of its first input from its arguments.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

try:
    from ai_edge_litert import interpreter as litert
except ImportError:  # pragma: no cover - depends on what is installed
    litert = None

_LIMIT_S: Final = 60.0


def how_it_dies(data: bytes, shape: Sequence[int]) -> str:
    """The signal that ends LiteRT, or that it does not end, with a file; empty if it answers, even with an error."""
    command = [sys.executable, "-P", "-m", __name__, *map(str, shape)]
    try:
        done = subprocess.run(command, input=data, timeout=_LIMIT_S, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {_LIMIT_S:g} s"
    return signal.Signals(-done.returncode).name if done.returncode < 0 else ""


def _run() -> None:
    """One inference with whatever the input's memory holds."""
    plain = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = litert.Interpreter(
        model_content=sys.stdin.buffer.read(), num_threads=1, experimental_op_resolver_type=plain
    )
    interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], [int(size) for size in sys.argv[1:]])
    interpreter.allocate_tensors()
    interpreter.invoke()


if __name__ == "__main__":
    _run()
