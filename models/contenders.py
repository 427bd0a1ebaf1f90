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
    """A contender cannot continue with a model; ``verdict`` shows whose fault it is, ``evidence`` is for the log."""

    def __init__(self, verdict: Verdict, reason: str, evidence: dict[str, Any] | None = None) -> None:
        """Keep verdict and evidence; ``reason`` is the message."""
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
        """Return copies of all outputs as flat arrays; state outputs become the states of the next step."""

    def close(self) -> None:
        """Release memory, descriptors and the prepared model; the object must not be used any more."""


class Contender(Protocol):
    """A baseline or a driver under the name of its backend; see :data:`nnvet.reports.events.OUR_BACKEND`."""

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
        """Return the seconds of each inference spent on reaching the contender; None if that is nothing or unknown."""

    def compile_runs(self, model: BenchModel, folder: Path) -> dict[str, CompileRun]:
        """Return the kinds of compilation by the name of their metric; cache files may go into the empty ``folder``.

        :raises ContenderError: if the model cannot be loaded.
        """


class CompileRun(Protocol):
    """One kind of compilation; the benchmark times :meth:`compile` alone."""

    def prepare(self) -> None:
        """Restore the state from which an iteration starts."""

    def compile(self) -> None:
        """Compile once and drop the result.

        :raises ContenderError: if it fails.
        """


def revive(contender: Contender, error: ContenderError) -> None:
    """Renew a contender that ``error`` lost; if that fails too, its next model reports the error."""
    if error.is_lost:
        with suppress(ContenderError):
            contender.renew()


def is_baseline(backend: str) -> bool:
    """Return True if drivers are compared with this backend."""
    return not backend.startswith(OUR_BACKEND)
