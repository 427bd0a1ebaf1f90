"""Options that several commands share, and the treatment of the user's mistakes.

The annotated types are options of typer; functions such as :func:`target_of` and :func:`workers_of` make objects of
their values. All commands run within :func:`user_errors`. ``choosing.py`` has the options that select cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from nnvet.commands import completing

if TYPE_CHECKING:
    from rich.console import Console

    from nnvet.adapters.service.sandbox import Sandbox
    from nnvet.conformance.cluster.fleet import Fleet
    from nnvet.conformance.engine.target import Target
    from nnvet.conformance.engine.work import Elsewhere

MEMORY_LIMIT_MIB: Final = 4096
"""The default of the adapters, repeated here so that no command has to load them for its help."""

PLAIN_WIDTH: Final = 130
"""Width of a table in characters without a terminal."""

MEASURING_TIMEOUT_S: Final = 60.0
"""Default timeout of ``nnvet bench``, because networks take longer than cases."""

Driver = Annotated[
    str,
    typer.Option(
        "-d",
        "--driver",
        help="Driver selector, KIND:ARGUMENTS. See nnvet drivers.",
        autocompletion=completing.kinds_of_drivers,
    ),
]
Drivers = Annotated[
    list[str],
    typer.Option(
        "-d",
        "--driver",
        help="Driver selector, KIND:ARGUMENTS; may be repeated. See nnvet drivers.",
        autocompletion=completing.kinds_of_drivers,
    ),
]
Out = Annotated[Path, typer.Option("--out", help="Folder for run.jsonl, report.html and junit.xml.")]
Level = Annotated[int | None, typer.Option(min=1, max=8, help="Treat the driver as one of this feature level.")]
Jobs = Annotated[
    int, typer.Option("-n", "--jobs", min=1, max=64, help="Number of processes, each with a driver of its own.")
]
JobsOfRun = Annotated[
    int | None,
    typer.Option(
        "-n",
        "--jobs",
        min=1,
        max=64,
        help="Number of processes, each with a driver of its own; default: 1, over a slow link up to 8.",
    ),
]
Full = Annotated[
    bool,
    typer.Option(
        "--full", help="Run every executor and form of arguments, and every check over every spec; takes minutes."
    ),
]
WithBenchmark = Annotated[bool, typer.Option("--bench", help="Run the benchmark too, into the same report.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue an earlier run into --out: keep the cases that it has finished.")
]
Timeout = Annotated[
    float, typer.Option(min=0.1, max=86400.0, help="Seconds after which a silent driver hangs, a day at most.")
]
MemoryLimit = Annotated[
    int,
    typer.Option("--memory-limit", min=0, help="MiB of memory above which a driver's process is killed; 0: no limit."),
]
Sandboxed = Annotated[
    bool,
    typer.Option(
        "--sandbox",
        help="Isolate each driver's process by bubblewrap: no network, a read-only system.",
    ),
]
SandboxDevices = Annotated[
    list[str] | None,
    typer.Option(
        "--sandbox-device",
        metavar="PATH",
        help="A device below /dev that the driver may use in its sandbox; may be repeated. Implies --sandbox.",
    ),
]
InProcess = Annotated[bool, typer.Option("--in-process", help="Run the driver in this process, for debuggers.")]
Models = Annotated[
    Path | None,
    typer.Option("--models", envvar="NNVET_MODELS", help="Folder in the layout of MLTS; default: the bundled zoo."),
]
ModelGlobs = Annotated[list[str] | None, typer.Option("--only", help="Glob of model names; may be repeated.")]

Trace = Annotated[
    Path | None,
    typer.Option(
        "--trace", help="Write a trace of the run for Perfetto into this file; only with -n 1 and one driver."
    ),
]


def table_console(**settings: Any) -> Console:
    """Return the console for tables: ``PLAIN_WIDTH`` wide without a terminal; ``settings`` are rich's."""
    from rich.console import Console

    console = Console(**settings)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


_UNITS: Final = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """Return a time such as 10ms, 90, 90s, 15m or 1.5h in seconds.

    :raises typer.BadParameter: it is no time.
    """
    unit = next((unit for unit in _UNITS if text.endswith(unit)), "")
    try:
        value = float(text.removesuffix(unit)) * _UNITS[unit or "s"]
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise typer.BadParameter(f"{text!r} is no time: say 10ms, 90, 90s, 15m or 1.5h")
    return value


Budget = Annotated[
    float | None,
    typer.Option("--budget", parser=seconds, metavar="TIME", help="Stop after this time, such as 90s, 15m or 1.5h."),
]

WaiverPath = Annotated[
    Path | None, typer.Option("--waivers", help="File of known failures to accept; docs/waivers.md describes it.")
]

Strict = Annotated[
    bool, typer.Option("--strict", help="Fail answers that keep the contract but leave their error bound.")
]


def _check_profiles(names: list[str] | None) -> list[str]:
    """Return the names, each once; an unknown one ends the command."""
    from nnvet.conformance.profiles.evaluation import check_names

    with user_errors():
        return list(check_names(names or ()))


WantedProfiles = Annotated[
    list[str] | None,
    typer.Option(
        "--profile",
        help="Exit code 0 only if conformant to this profile; may be repeated. See nnvet profiles.",
        autocompletion=completing.profiles,
        callback=_check_profiles,
    ),
]


def _check_liberties(names: list[str] | None) -> list[str]:
    """Return the ids, each once; an unknown one ends the command."""
    if not names:
        return []
    # Imported only if there is an id, because it takes long to load.
    from nnvet.oracle.bounds.liberties import declared

    try:
        return list(declared(names))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


Liberties = Annotated[
    list[str] | None,
    typer.Option(
        "--liberty",
        help="A liberty that the driver declares, see docs/oracle.md; error bounds then allow it. May be repeated.",
        autocompletion=completing.liberties,
        callback=_check_liberties,
    ),
]

Reduce = Annotated[
    bool, typer.Option("--reduce", help="Make the saved failures small at the end, as nnvet reduce does.")
]


def target_of(
    selector: str,
    timeout_s: float,
    level: int | None,
    memory_limit_mib: int,
    sandbox: Sandbox | None = None,
    *,
    in_process: bool,
    strict: bool = False,
    liberty: list[str] | None = None,
) -> Target:
    """Return the driver that the options of a command name."""
    from nnvet.adapters.service.activity import limit_in_bytes
    from nnvet.conformance.engine.target import Target

    limit, liberties = limit_in_bytes(memory_limit_mib), tuple(liberty or ())
    return Target(selector, in_process, timeout_s, level, limit, strict=strict, liberties=liberties, sandbox=sandbox)


def sandbox_of(devices: list[str] | None, *, asked: bool) -> Sandbox | None:
    """Return the sandbox that the options ask for; None: for none."""
    from nnvet.adapters.service.sandbox import Sandbox

    return Sandbox(tuple(devices or ())) if asked or devices else None


class CommandError(Exception):
    """Raised if a command cannot do its work; the text says what is wrong, where, and what to write instead."""


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn errors that the user can correct into one line and exit code 2, or 3 if something has run already."""
    from nnvet.adapters.releases import ReleaseError
    from nnvet.adapters.selector import SelectorError
    from nnvet.conformance.cluster.errors import ClusterError
    from nnvet.conformance.engine.selection import SelectionError
    from nnvet.conformance.engine.waivers import WaiverError
    from nnvet.conformance.profiles.evaluation import ProfileError
    from nnvet.conformance.profiles.statement import StatementError
    from nnvet.formats.errors import DataError, MissingExtraError, ModelFileError
    from nnvet.generators.specs import SpecError
    from nnvet.reports.evidence import STACK_LINES
    from nnvet.reports.findings import FindingError
    from nnvet.reports.log import LogError, ResultsLostError
    from nnvet.reports.outcome import EXIT_SUITE_FAILED, EXIT_USAGE
    from nnvet.transport.wire.failures import DriverGone

    of_the_driver = (SelectorError, DriverGone)
    of_files = (LogError, DataError, MissingExtraError, ModelFileError, SpecError, WaiverError)
    of_verdicts = (ProfileError, StatementError)
    of_releases = (FindingError, ReleaseError)
    try:
        yield
    except ResultsLostError as error:
        typer.echo(f"nnvet: {error}", err=True)
        raise typer.Exit(EXIT_SUITE_FAILED) from error
    except (CommandError, SelectionError, ClusterError, *of_the_driver, *of_files, *of_verdicts, *of_releases) as error:
        typer.echo(f"nnvet: {error}", err=True)
        if isinstance(error, DriverGone) and error.evidence.native_stacks:
            typer.echo("\n".join(error.evidence.native_stacks.splitlines()[:STACK_LINES]), err=True)
        raise typer.Exit(EXIT_USAGE) from error


Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Address of a dask scheduler whose workers run the cases; local:N starts N workers on this machine.",
    ),
]
Resources = Annotated[
    list[str] | None,
    typer.Option(
        "--resource",
        metavar="NAME=AMOUNT",
        help="Use only workers that offer this, such as accelerator=1; may be repeated.",
    ),
]
Chunk = Annotated[
    int | None,
    typer.Option(
        "--chunk", min=1, help="Approximate number of cases that a worker of a cluster gets at a time; default: 100."
    ),
]


@contextmanager
def workers_of(cluster: str | None, resources: Sequence[str] | None, **alone: Any) -> Iterator[Fleet | None]:
    """Open the workers of ``cluster`` that offer ``resources`` for the block; None: this machine does the work.

    ``alone`` are the values of options that a cluster does not support; a false value: not given.

    :raises CommandError: options contradict each other.
    :raises MissingExtraError: dask.distributed is not installed.
    :raises ClusterError: there is no such cluster.
    """
    if cluster is None:
        if resources:
            raise CommandError("--resource is for the workers of a cluster: give --cluster ADDRESS too")
        yield None
        return
    wrong = [name.replace("_", "-") for name, given in alone.items() if given]
    if wrong:
        raise CommandError(f"--{wrong[0]} is for this machine alone: leave it out, or --cluster")
    # Imported late, because importing dask takes longer than the first cases.
    try:
        from nnvet.conformance.cluster.connect import open_cluster
    except ModuleNotFoundError as error:
        from nnvet.formats.errors import MissingExtraError

        raise MissingExtraError("distributed", "cluster", "--cluster") from error
    with open_cluster(cluster, resources or (), lambda text: typer.echo(text, err=True)) as fleet:
        yield fleet


@contextmanager
def elsewhere(
    cluster: str | None, resources: Sequence[str] | None, chunk: int | None, **alone: Any
) -> Iterator[Elsewhere | None]:
    """Open the workers that run the batches of a plan for the block; None: this machine runs them.

    A worker gets about ``chunk`` cases at a time; the other parameters are those of :func:`workers_of`.

    :raises CommandError: options contradict each other.
    :raises MissingExtraError: dask.distributed is not installed.
    :raises ClusterError: there is no such cluster.
    """
    if cluster is None and chunk and not resources:
        raise CommandError("--chunk is for the workers of a cluster: give --cluster ADDRESS too")
    with workers_of(cluster, resources, **alone) as fleet:
        if fleet is None:
            yield None
            return
        from nnvet.conformance.cluster.chunk import DEFAULT_CASES
        from nnvet.conformance.cluster.run import OnCluster

        yield OnCluster(fleet, chunk or DEFAULT_CASES)
