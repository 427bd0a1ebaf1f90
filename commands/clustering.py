"""The options by which a command runs its cases on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nnvet.commands.options import CommandError

if TYPE_CHECKING:
    from nnvet.conformance.cluster.fleet import Fleet
    from nnvet.conformance.engine.work import Elsewhere

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Run the cases on the workers of a dask cluster: its scheduler's address, or local:N for N here.",
    ),
]
Resources = Annotated[
    list[str] | None,
    typer.Option(
        "--resource", metavar="NAME=AMOUNT", help="Only on workers that offer this, such as accelerator=1; repeatable."
    ),
]
Chunk = Annotated[
    int | None,
    typer.Option("--chunk", min=1, help="Cases that a worker of a cluster gets at a time, roughly; default: 100."),
]


@contextmanager
def workers_of(cluster: str | None, resources: Sequence[str] | None, **alone: Any) -> Iterator[Fleet | None]:
    """The workers of ``cluster`` that offer ``resources`` while the block runs; None: this machine does the work.

    ``alone`` are the values of options that mean nothing on a cluster; false: not given.

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
    # dask takes longer to import than the first cases to run.
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
    """Run the batches of a plan on ``cluster`` while the block runs; None: this machine does.

    A worker gets about ``chunk`` cases at a time; all else is as :func:`workers_of` has it.

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
