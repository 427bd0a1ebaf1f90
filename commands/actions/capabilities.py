"""Work of ``nnvet capabilities``: measure a driver's speed and power, and show them beside the driver's claims.

The HAL lets a driver claim, by operand type, its time and power relative to the processor. :mod:`nnvet.models` measures
real networks to check these claims; this module prints the table of both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Column, Table

from nnvet.commands.options import CommandError, table_console
from nnvet.conformance.engine.target import Target, open_target
from nnvet.models.bench import baselines, select_entries
from nnvet.models.bundled import ZOO
from nnvet.models.capabilities import DerivedCapabilities, Figure, figures_of, measure_workloads
from nnvet.models.catalogue import ModelCatalogue, load_catalogue
from nnvet.models.driver import contender_of
from nnvet.models.rounds import energy_meter
from nnvet.reports.facts import machine_facts, named_performance


@dataclass(frozen=True)
class CapabilityChoice:
    """Options: folder of models (None: the bundled zoo), globs of names, factor for warnings, seconds, JSON file."""

    folder: Path | None
    only: tuple[str, ...]
    factor: float
    seconds: float
    out: Path | None


def derive(target: Target, choice: CapabilityChoice) -> DerivedCapabilities:
    """Measure, print the table, and write the file.

    :raises CommandError: there is no LiteRT, no model could be measured, or the file cannot be written.
    :raises DataError: the folder is no benchmark, or no model of it is selected.
    """
    console = table_console(highlight=False, markup=False)
    catalogue = load_catalogue(choice.folder or ZOO)
    chosen = ModelCatalogue(catalogue.folder, tuple(select_entries(catalogue, choice.only)))
    with console.status("") as status:
        found = measure_claims(target, chosen, choice, lambda name: status.update(f"measuring {name}"))
    _show(found, console)
    if all(workload.left_out for workload in found.workloads):
        raise CommandError("no model could be measured; the lines above say why")
    if choice.out is not None:
        try:
            choice.out.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
        except OSError as error:
            raise CommandError(f"{choice.out} cannot be written: {error.strerror}") from error
    return found


def measure_claims(
    target: Target, catalogue: ModelCatalogue, choice: CapabilityChoice, watch: Callable[[str], None]
) -> DerivedCapabilities:
    """Return all workloads of a catalogue on LiteRT and the driver.

    :raises CommandError: there is no LiteRT.
    """
    references, missing = baselines()
    if not references:
        raise CommandError(f"the figures are relative to LiteRT: {missing}")
    meter, why = energy_meter()
    with open_target(target) as driver:
        claims = named_performance(driver.device.get_capabilities())
        contender = contender_of(driver, target)
        workloads = tuple(measure_workloads(catalogue, references[0], contender, choice.seconds, meter, watch))
    return DerivedCapabilities(
        driver=target.selector,
        reference=f"LiteRT (ai-edge-litert {version('ai-edge-litert')}), one thread",
        nnvet=version("nnvet"),
        machine=machine_facts(),
        factor=choice.factor,
        energy=why,
        figures=figures_of(workloads, claims, choice.factor),
        workloads=workloads,
    )


def _show(found: DerivedCapabilities, console: Console) -> None:
    table = Table(
        "figure",
        Column("networks", justify="right"),
        Column("time", justify="right"),
        Column("claimed", justify="right"),
        Column("power", justify="right"),
        Column("claimed", justify="right"),
        "",
        box=None,
        pad_edge=False,
    )
    for figure in found.figures:
        if figure.workloads or figure.claimed_time is None:
            table.add_row(figure.name, str(len(figure.workloads)), *_show_numbers(figure), "; ".join(figure.warnings))
    console.print(f"{found.driver} relative to {found.reference}; lower is better")
    console.print(table)
    unheard = [figure.name for figure in found.figures if not figure.workloads and figure.claimed_time is not None]
    if unheard:
        console.print(f"claimed, but no network tells of it: {', '.join(unheard)}")
    if found.energy:
        console.print(f"power cannot be derived: {found.energy}")
    for workload in found.workloads:
        if workload.left_out:
            console.print(f"left out: {workload.model} ({workload.form}): {workload.left_out}")
    count = sum(len(figure.warnings) for figure in found.figures)
    if count:
        console.print(f"warning: {count} claims are off by more than a factor of {found.factor:g}")


def _show_numbers(figure: Figure) -> list[str]:
    values = (figure.time, figure.claimed_time, figure.power, figure.claimed_power)
    return ["-" if value is None else f"{value:.3g}" for value in values]
