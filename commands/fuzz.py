"""Options of ``nnvet fuzz``, coverage-guided fuzzing of a driver; :mod:`nnvet.commands.actions.fuzz` does the work."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands import completing
from nnvet.commands.history import HistoryFolder, add_to_history
from nnvet.commands.options import (
    Cluster,
    CommandError,
    Driver,
    Resources,
    SandboxDevices,
    Sandboxed,
    sandbox_of,
    user_errors,
)

NativeCounters = Annotated[
    bool,
    typer.Option(
        "--native-counters",
        help="Print the path of the C file to compile into a native driver, so that its code guides the fuzzer.",
    ),
]


def _print_counters() -> None:
    from nnvet.fuzz.native_edges import SOURCE

    typer.echo(SOURCE)


Harnesses = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[HARNESS]...",
        help="Names of harnesses, listed in docs/fuzzing.md; default: all.",
        autocompletion=completing.harnesses,
    ),
]
InService = Annotated[
    bool | None,
    typer.Option(
        "--service/--in-process",
        help="Run the driver in a service or in the fuzzer's process; default: only Python drivers in the process.",
    ),
]


def fuzz(
    harnesses: Harnesses = None,
    driver: Driver = "reference",
    minutes: Annotated[float, typer.Option(min=0.05, help="Minutes for all harnesses together.")] = 10.0,
    jobs: Annotated[int, typer.Option("-n", "--jobs", min=1, max=64, help="Number of processes.")] = 1,
    corpus: Annotated[
        Path, typer.Option(help="Folder for inputs that reach new code; the next job starts from them.")
    ] = Path("out/corpus"),
    out: Annotated[Path, typer.Option("--out", help="Folder for findings, run.jsonl and report.html.")] = Path("out"),
    timeout: Annotated[float, typer.Option(min=1, help="Seconds that one input may take.")] = 10.0,
    memory_limit: Annotated[int, typer.Option(min=256, help="MiB of memory that a process may use.")] = 3072,
    service: InService = None,
    regressions: Annotated[
        Path | None, typer.Option(help="Also keep inputs of findings in this folder; the next job begins with them.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--input", help="Run only this input, of one harness.")] = None,
    native_counters: NativeCounters = False,
    sandbox: Sandboxed = False,
    sandbox_device: SandboxDevices = None,
    history: HistoryFolder = None,
    cluster: Cluster = None,
    resource: Resources = None,
) -> None:
    """Search for inputs that crash a driver or break a rule."""
    with user_errors():
        if native_counters:
            _print_counters()
            return
        if file is None and cluster is None and find_spec("atheris") is None:
            raise CommandError("fuzzing needs atheris; install it with: pip install 'nnvet[fuzz]'")
        box = sandbox_of(sandbox_device, asked=sandbox)
        if box is not None and service is False:
            raise CommandError("--sandbox is for services: leave out --in-process")
        if box is not None and cluster is None:
            box.require()
        from nnvet.commands.actions.fuzz import choose_harnesses, replay_input, run_fuzzing
        from nnvet.commands.options import workers_of
        from nnvet.fuzz.runner import FuzzingJob

        job = FuzzingJob(
            choose_harnesses(harnesses or []),
            driver,
            60 * minutes,
            jobs,
            corpus,
            out,
            timeout,
            memory_limit,
            None if service is None else not service,
            regressions,
            box,
        )
        with workers_of(cluster, resource, jobs=jobs > 1, input=file is not None) as fleet:
            if file is not None:
                raise typer.Exit(replay_input(job, file))
            with add_to_history(history, [job.log]):
                code = run_fuzzing(job, fleet)
    raise typer.Exit(code)
