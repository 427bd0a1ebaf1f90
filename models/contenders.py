"""Contenders of the benchmark: baselines and drivers, behind one small interface.

A :class:`Contender` opens a :class:`LoadedModel` for each model; only :meth:`LoadedModel.invoke` is timed.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from nnvet.formats.tflite.importer import ImportedModel
from nnvet.models.catalogue import ModelEntry
from nnvet.models.datasets import Array
from nnvet.reports.events import OUR_BACKEND, Verdict


class ContenderError(Exception):
    """A contender cannot go on with a model; ``verdict`` says whose fault it is, ``evidence`` is for the log."""

    def __init__(self, verdict: Verdict, reason: str, evidence: dict[str, Any] | None = None) -> None:
        """``reason`` is the message; no evidence is an empty dictionary."""
        super().__init__(reason)
        self.verdict = verdict
        self.reason = reason
        self.evidence = evidence or {}

    @property
    def is_lost(self) -> bool:
        """True if the contender is lost for all further models, too."""
        return self.verdict in (Verdict.CRASH, Verdict.HANG)


@dataclass(frozen=True)
class BenchModel:
    """One model as every contender gets it; ``imported`` is None if it has no NNAPI form, for ``import_error``."""

    entry: ModelEntry
    path: Path
    data: bytes
    imported: ImportedModel | None
    import_error: str = ""


class LoadedModel(Protocol):
    """One model, loaded and ready."""

    def reset(self) -> None:
        """Set every state to zero."""

    def put(self, data: bytes) -> None:
        """Write the input of the next step."""

    def invoke(self) -> None:
        """Run one step.

        :raises ContenderError: if it fails.
        """

    def take(self) -> tuple[Array, ...]:
        """Copies of all outputs as flat arrays; states move on to the next step."""

    def close(self) -> None:
        """Give back memory, descriptors and the prepared model; this is of no more use."""


class Contender(Protocol):
    """A baseline or a driver under a backend name, see :data:`nnvet.reports.events.OUR_BACKEND`."""

    @property
    def backend(self) -> str:
        """Name in results; names of drivers begin with OUR_BACKEND."""

    def open(self, model: BenchModel) -> LoadedModel:
        """Load a model.

        :raises ContenderError: if it cannot be loaded.
        """

    def renew(self) -> None:
        """Make the contender usable again after it was lost.

        :raises ContenderError: if that cannot be done.
        """

    def overhead_s(self) -> float | None:
        """Seconds that the way to it takes in each inference; None where there is none, or it cannot be found."""

    def compile_runs(self, model: BenchModel, folder: Path) -> dict[str, CompileRun]:
        """Kinds of compilation by the name of their metric; an empty ``folder`` is theirs for cache files.

        :raises ContenderError: if it cannot be loaded.
        """


class CompileRun(Protocol):
    """One kind of compilation; the benchmark times :meth:`compile` alone."""

    def prepare(self) -> None:
        """Prepare the state from which an iteration starts."""

    def compile(self) -> None:
        """Compile once and drop the result.

        :raises ContenderError: if it fails.
        """


def revive(contender: Contender, error: ContenderError) -> None:
    """Renew a contender that ``error`` lost; if that fails too, its next model tells."""
    if error.is_lost:
        with suppress(ContenderError):
            contender.renew()


def is_baseline(backend: str) -> bool:
    """Return True if a backend is one that drivers are compared with."""
    return not backend.startswith(OUR_BACKEND)
