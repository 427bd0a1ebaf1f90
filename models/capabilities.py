"""Measurement of the figures for getCapabilities: time and power of workloads relative to the reference CPU.

The command ``nnvet capabilities`` calls :func:`measure_workloads` and :func:`figures_of`. Source: docs/contract/hal.md
6.3. The workloads are image and speech networks in
float32, the same networks relaxed, and image networks in 8-bit codes. The reference CPU is LiteRT on one thread.

Time and energy of a model are measured on all contenders in turns, block by block, so that a disturbance of the machine
slows all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import geometric_mean
from typing import Final

import msgspec
import numpy as np

from nnvet.formats.errors import DataError, ModelFileError
from nnvet.formats.onnx.reader import import_network
from nnvet.formats.tflite.source import read_file
from nnvet.models.catalogue import ModelCatalogue, ModelEntry
from nnvet.models.contenders import BenchModel, Contender, ContenderError, LoadedModel, revive
from nnvet.models.datasets import StepSequence, load_sequences
from nnvet.models.rounds import EnergyMeter
from nnvet.reports.events import Machine, Performance

_BLOCK_S: Final = 0.02
"""Seconds of a block."""
_UNDISTURBED: Final = 10
"""Percentile of latencies that is reported. It is low, since disturbances make latencies longer and never shorter."""


@dataclass
class Usage:
    """Time and energy of a loaded model: seconds of each inference and of blocks, joules of blocks if metered."""

    latencies_s: list[float] = field(default_factory=list)
    blocks_s: float = 0.0
    joules: float | None = None

    @property
    def undisturbed_s(self) -> float:
        """Return the seconds of an undisturbed inference."""
        return float(np.percentile(self.latencies_s, _UNDISTURBED))

    @property
    def watts(self) -> float | None:
        """Return the machine's mean power while the model ran; None without a meter."""
        return None if self.joules is None else self.joules / self.blocks_s


def measure(
    loaded_models: Sequence[LoadedModel], sequences: Sequence[StepSequence], seconds: float, meter: EnergyMeter | None
) -> list[Usage]:
    """Measure the usage of each loaded model in blocks of ``seconds`` in all, after a warm-up of one block.

    :raises ContenderError: a model fails.
    :raises OSError: the meter fails.
    """
    for loaded in loaded_models:
        _run_block(loaded, sequences, Usage(), None)
    usages = [Usage() for _ in loaded_models]
    while True:
        for loaded, usage in zip(loaded_models, usages, strict=True):
            _run_block(loaded, sequences, usage, meter)
        if all(usage.blocks_s >= seconds for usage in usages):
            return usages


def _run_block(loaded: LoadedModel, sequences: Sequence[StepSequence], usage: Usage, meter: EnergyMeter | None) -> None:
    """Run whole sequences for a short time, at least one."""
    if meter is not None:
        meter.used()
    started = time.perf_counter()
    while True:
        _run_sequence(loaded, sequences[len(usage.latencies_s) % len(sequences)], usage.latencies_s)
        spent = time.perf_counter() - started
        if spent >= _BLOCK_S:
            break
    usage.blocks_s += spent
    if meter is not None:
        usage.joules = (usage.joules or 0.0) + meter.used()


def _run_sequence(loaded: LoadedModel, sequence: StepSequence, latencies_s: list[float]) -> None:
    loaded.reset()
    for step in sequence.steps:
        loaded.put(step.load())
        started = time.perf_counter()
        loaded.invoke()
        latencies_s.append(time.perf_counter() - started)
        loaded.take()


SEQUENCES: Final = 4
"""Number of pictures or speech sequences that a workload uses in turn. The time depends little on them."""


class WorkloadForm(StrEnum):
    """Arithmetic of a workload."""

    FLOAT32 = "float32"
    RELAXED = "relaxed float32"
    UINT8 = "uint8"
    INT8 = "int8"


FIGURES: Final[Mapping[str, WorkloadForm]] = {
    "FLOAT32": WorkloadForm.FLOAT32,
    "TENSOR_FLOAT32": WorkloadForm.FLOAT32,
    "relaxed float32 scalar": WorkloadForm.RELAXED,
    "relaxed float32 tensor": WorkloadForm.RELAXED,
    "TENSOR_QUANT8_ASYMM": WorkloadForm.UINT8,
    "TENSOR_QUANT8_ASYMM_SIGNED": WorkloadForm.INT8,
}
"""Figures that workloads determine, by their names in reports."""


class Workload(msgspec.Struct, frozen=True):
    """One network in one form: seconds of an undisturbed inference and mean watts, or a reason in ``left_out``."""

    model: str
    form: WorkloadForm
    seconds: float | None = None
    reference_seconds: float | None = None
    watts: float | None = None
    reference_watts: float | None = None
    left_out: str = ""

    @property
    def time(self) -> float | None:
        """Time relative to the reference."""
        return _quotient(self.seconds, self.reference_seconds)

    @property
    def power(self) -> float | None:
        """Power relative to the reference."""
        return _quotient(self.watts, self.reference_watts)


class Figure(msgspec.Struct, frozen=True):
    """One figure of the capabilities, as derived from workloads and as claimed by the driver; either may be None.

    ``warnings`` name claims that are off by more than the factor.
    """

    name: str
    workloads: tuple[str, ...]
    time: float | None
    claimed_time: float | None
    power: float | None
    claimed_power: float | None
    warnings: tuple[str, ...] = ()


class DerivedCapabilities(msgspec.Struct, frozen=True):
    """All figures of a driver, and the workloads behind them. ``energy`` is the reason if no power was measured."""

    driver: str
    reference: str
    nnvet: str
    machine: Machine
    factor: float
    energy: str
    figures: tuple[Figure, ...]
    workloads: tuple[Workload, ...]


def measure_workloads(
    catalogue: ModelCatalogue,
    reference: Contender,
    driver: Contender,
    seconds: float,
    meter: EnergyMeter | None,
    watch: Callable[[str], None] = lambda _: None,
) -> Iterator[Workload]:
    """Measure every network of a catalogue in its forms, each file once; ``watch`` is called with the name of each.

    A network that cannot be measured gives a workload with the reason.
    """
    for entry in _networks(catalogue):
        for form in _forms(entry):
            watch(f"{entry.name} ({form})")
            try:
                ours, theirs = _measure_workload(catalogue, entry, form, (driver, reference), seconds, meter)
            except (ContenderError, DataError, ModelFileError, OSError) as error:
                if isinstance(error, ContenderError):
                    revive(driver, error)
                yield Workload(entry.name, form, left_out=str(error))
                continue
            yield Workload(entry.name, form, ours.undisturbed_s, theirs.undisturbed_s, ours.watts, theirs.watts)


def _networks(catalogue: ModelCatalogue) -> list[ModelEntry]:
    """Return the first entry of each model file."""
    found: dict[str, ModelEntry] = {}
    for entry in catalogue.entries:
        found.setdefault(entry.model_path, entry)
    return list(found.values())


def _forms(entry: ModelEntry) -> tuple[WorkloadForm, ...]:
    if entry.data_size == 1:
        return (WorkloadForm.INT8,) if entry.signed else (WorkloadForm.UINT8,)
    return WorkloadForm.FLOAT32, WorkloadForm.RELAXED


def _measure_workload(
    catalogue: ModelCatalogue,
    entry: ModelEntry,
    form: WorkloadForm,
    contenders: Sequence[Contender],
    seconds: float,
    meter: EnergyMeter | None,
) -> list[Usage]:
    sequences = load_sequences(catalogue.folder, entry)[:SEQUENCES]
    path = catalogue.folder / entry.model_path
    data = read_file(path)
    relaxed = form is WorkloadForm.RELAXED
    with import_network(path, data, input_shape=entry.input_size, relaxed=relaxed) as imported:
        model = BenchModel(entry, path, data, imported)
        with ExitStack() as stack:
            loaded_models = [stack.enter_context(closing(contender.open(model))) for contender in contenders]
            return measure(loaded_models, sequences, seconds, meter)


def figures_of(workloads: Sequence[Workload], claims: Mapping[str, Performance], factor: float) -> tuple[Figure, ...]:
    """Return the figures that workloads determine, as geometric means, then others that the driver claims."""
    names = [*FIGURES, *(name for name in claims if name not in FIGURES)]
    return tuple(_figure(name, workloads, claims.get(name), factor) for name in names)


def _figure(name: str, workloads: Sequence[Workload], claim: Performance | None, factor: float) -> Figure:
    used = [workload for workload in workloads if workload.form == FIGURES.get(name) and not workload.left_out]
    time = _mean([workload.time for workload in used if workload.time])
    power = _mean([workload.power for workload in used if workload.power])
    claimed_time = claim.exec_time if claim else None
    claimed_power = claim.power_usage if claim else None
    compared = (("takes", "as long as", time, claimed_time), ("draws", "the power that", power, claimed_power))
    warnings = tuple(
        f"{verb} {derived / claimed:.3g} times {what} it says"
        for verb, what, derived, claimed in compared
        if derived and claimed and not 1 / factor <= derived / claimed <= factor
    )
    return Figure(name, tuple(workload.model for workload in used), time, claimed_time, power, claimed_power, warnings)


def _mean(values: Sequence[float]) -> float | None:
    return geometric_mean(values) if values else None


def _quotient(ours: float | None, theirs: float | None) -> float | None:
    return ours / theirs if ours and theirs else None
