"""The baseline of the benchmark: LiteRT (TFLite's runtime) on one CPU thread, without any delegate.

An untrusted file is first tried in a separate process, since LiteRT may crash on a damaged file. That process is this
module run as a program: it reads the file from standard input, and the shape of its first input from its arguments.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from nnvet.formats.errors import MissingExtraError
from nnvet.formats.onnx import SUFFIX
from nnvet.models.contenders import BenchModel, CompileRun, ContenderError
from nnvet.models.datasets import Array, element_type
from nnvet.reports.events import Verdict

try:
    from ai_edge_litert import interpreter as litert
except ImportError:  # pragma: no cover - depends on what is installed
    litert = None

_LIMIT_S: Final = 60.0
"""Seconds that LiteRT may take for an untrusted file."""


def describe_death(data: bytes, shape: Sequence[int]) -> str:
    """Return the signal or the hang with which LiteRT ends on a file; empty if LiteRT answers, even with an error."""
    command = [sys.executable, "-P", "-m", __name__, *map(str, shape)]
    try:
        done = subprocess.run(command, input=data, timeout=_LIMIT_S, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {_LIMIT_S:g} s"
    return signal.Signals(-done.returncode).name if done.returncode < 0 else ""


def _run() -> None:
    """Run one inference with the uninitialised input."""
    plain = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = litert.Interpreter(
        model_content=sys.stdin.buffer.read(), num_threads=1, experimental_op_resolver_type=plain
    )
    interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], [int(size) for size in sys.argv[1:]])
    interpreter.allocate_tensors()
    interpreter.invoke()


try:
    from ai_edge_litert import interpreter as litert
except ImportError:  # pragma: no cover - depends on what is installed
    litert = None

OPTIMISED = "LiteRT"
REFERENCE = "LiteRT reference kernels"


@dataclass(frozen=True)
class LiteRt:
    """LiteRT with its optimised kernels, or with its plain reference kernels."""

    backend: str = OPTIMISED

    def __post_init__(self) -> None:
        """Check that the package is installed.

        :raises MissingExtraError: if the ``litert`` extra is not installed.
        """
        if litert is None:
            raise MissingExtraError("ai-edge-litert", "litert", "the LiteRT baseline")

    def open(self, model: BenchModel) -> LiteRtModel:
        """Load a model and give its first input the shape of the entry.

        LiteRT trusts parts of a file and may crash, so files that nnvet's own reader refuses are tried in another
        process first.
        """
        if model.path.suffix == SUFFIX:
            raise ContenderError(Verdict.UNSUPPORTED, "LiteRT reads no ONNX models")
        if model.imported is None and (death := describe_death(model.data, model.entry.input_size)):
            raise ContenderError(Verdict.UNSUPPORTED, f"LiteRT dies of the model: {death}")
        return LiteRtModel(self._interpreter(model.data), model)

    def overhead_s(self) -> None:
        """Return None, because LiteRT runs in this process."""

    def compile_runs(self, model: BenchModel, folder: Path) -> dict[str, CompileRun]:
        """Return the building of an interpreter as the only kind, as LiteRT's CPU kernels have no cache."""
        del folder
        return {"compile_without_cache": _Build(lambda: self._interpreter(model.data))}

    def renew(self) -> None:
        """Do nothing, because LiteRT runs in this process."""

    def _interpreter(self, data: bytes) -> Any:
        """Return a new interpreter.

        :raises ContenderError: if LiteRT refuses the model.
        """
        types = litert.OpResolverType
        resolver = types.BUILTIN_WITHOUT_DEFAULT_DELEGATES if self.backend == OPTIMISED else types.BUILTIN_REF
        try:
            return litert.Interpreter(model_content=data, num_threads=1, experimental_op_resolver_type=resolver)
        except (RuntimeError, ValueError) as error:
            raise ContenderError(Verdict.UNSUPPORTED, f"LiteRT refuses the model: {_first_line(error)}") from error


@dataclass(frozen=True)
class _Build:
    """Compilation by LiteRT: the building of an interpreter from a model in memory."""

    build: Callable[[], Any]

    def prepare(self) -> None:
        """Do nothing, because LiteRT keeps nothing between compilations."""

    def compile(self) -> None:
        """Build an interpreter from the file, and drop it."""
        self.build()


class LiteRtModel:
    """A model in an interpreter, which keeps the states itself."""

    def __init__(self, interpreter: Any, model: BenchModel) -> None:
        """Allocate the tensors."""
        self._interpreter = interpreter
        entry = model.entry
        try:
            first = interpreter.get_input_details()[0]
            interpreter.resize_tensor_input(first["index"], entry.input_size)
            interpreter.allocate_tensors()
        except (RuntimeError, ValueError, IndexError) as error:
            raise ContenderError(Verdict.UNSUPPORTED, f"LiteRT refuses the model: {_first_line(error)}") from error
        self._dtype = element_type(entry)
        if np.dtype(first["dtype"]) != np.dtype(self._dtype):
            name = first["dtype"].__name__
            raise ContenderError(
                Verdict.NOT_RUN,
                f"dataSize {entry.data_size}{' signed' * entry.signed} does not fit the model's input of {name}",
            )
        self._input = first["index"]
        self._shape = entry.input_size
        self._outputs = [detail["index"] for detail in interpreter.get_output_details()]

    def reset(self) -> None:
        """Set the states, which are LiteRT's variable tensors, to zero."""
        self._interpreter.reset_all_variables()

    def put(self, data: bytes) -> None:
        """Copy the input.

        :raises ContenderError: LiteRT gives the input another shape, which happens if the file also computes the input.
        """
        try:
            self._interpreter.set_tensor(self._input, np.frombuffer(data, dtype=self._dtype).reshape(self._shape))
        except (RuntimeError, ValueError) as error:
            raise ContenderError(Verdict.ERROR, f"LiteRT takes no input: {_first_line(error)}") from error

    def invoke(self) -> None:
        """Run one step.

        :raises ContenderError: LiteRT fails.
        """
        try:
            self._interpreter.invoke()
        except (RuntimeError, ValueError) as error:
            raise ContenderError(Verdict.ERROR, f"LiteRT failed: {_first_line(error)}") from error

    def take(self) -> tuple[Array, ...]:
        """Return flat copies of all outputs."""
        return tuple(self._interpreter.get_tensor(index).reshape(-1) for index in self._outputs)

    def close(self) -> None:
        """Drop the interpreter."""
        self._interpreter = None


def _first_line(error: Exception) -> str:
    """Return the first line of what LiteRT says."""
    return str(error).strip().partition("\n")[0]


if __name__ == "__main__":
    _run()
