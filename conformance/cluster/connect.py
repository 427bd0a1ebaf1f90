"""The cluster that ``--cluster`` names: the address of a scheduler, or workers that are started here.

Commands call :func:`open_cluster`, which returns the workers as a :class:`nnvet.conformance.cluster.fleet.Fleet`.
Workers that are started here also import this module, because dask calls its :func:`dask_setup` in each of them.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from distributed import Client, LocalCluster, Security, Worker

from nnvet.conformance.cluster.errors import ClusterError
from nnvet.conformance.cluster.fleet import Fleet

LOCAL: Final = "local:"
"""Beginning of ``--cluster`` for workers on this machine."""
_TLS: Final = "tls:"
"""Beginning of the address of an encrypted scheduler."""
_CONNECT_S: Final = 20.0
"""Seconds in which a scheduler has to answer."""


@contextmanager
def open_cluster(text: str, resources: Sequence[str] = (), say: Callable[[str], None] = print) -> Iterator[Fleet]:
    """Yield the workers of a cluster while the block runs; ``resources`` are written ``NAME=AMOUNT``.

    ``text`` is an address such as ``tcp://host:8786``, or ``local:N`` for N workers on this machine, which then offer
    all resources that are asked for.

    :raises ClusterError: the text is not an address, or no scheduler answers there.
    """
    wanted = dict(map(_parse_resource, resources))
    # The run itself reports workers that come and go; dask's own messages about them would only confuse.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        try:
            client = stack.enter_context(_open_client(text, wanted, stack))
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"--cluster {text}: {error}; give the address of a scheduler (dask scheduler), or local:N"
            ) from error
        yield Fleet(client, wanted, say)


def _open_client(text: str, wanted: dict[str, float], stack: ExitStack) -> Client:
    """Connect to a scheduler, or start one with workers here, which ``stack`` ends.

    :raises ClusterError: the text makes no sense, or a certificate is missing.
    :raises OSError: no scheduler answers.
    """
    if not text.startswith(LOCAL):
        if text.startswith(_TLS) and Security().get_connection_args("client")["ssl_context"] is None:
            raise ClusterError(
                f"--cluster {text}: dask's configuration has no certificate for clients (distributed.comm.tls.client): "
                "docs/campaigns.md, 'Who can reach a cluster'"
            )
        return Client(text, timeout=_CONNECT_S, set_as_default=False)
    number = text.removeprefix(LOCAL)
    if not number.isdecimal() or not int(number):
        raise ClusterError(f"--cluster {text}: write local:N with the number of workers, such as local:2")
    cluster = LocalCluster(
        n_workers=int(number),
        threads_per_worker=1,
        # Whoever connects to a scheduler can run code, so clients need a certificate that exists in this process alone.
        host="127.0.0.1",
        security=Security.temporary(),
        # Dask always opens a dashboard; give it any free port, on this machine alone.
        dashboard_address="127.0.0.1:0",
        preload=__name__,
        # Drivers have their own limits.
        memory_limit=0,
        silence_logs=logging.CRITICAL,
        resources=wanted,
    )
    return Client(stack.enter_context(cluster), set_as_default=False)


def _parse_resource(text: str) -> tuple[str, float]:
    """Read ``NAME=AMOUNT``; the amount is 1 if it is left out.

    :raises ClusterError: the amount is no number.
    """
    name, _, amount = text.partition("=")
    try:
        return name, float(amount or 1)
    except ValueError as error:
        raise ClusterError(f"--resource {text}: write NAME=AMOUNT, such as accelerator=1") from error


def dask_setup(_: Worker) -> None:
    """Ignore Ctrl-C; dask calls this in the worker's main thread, before its first task."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A handler, not SIG_IGN: the processes that the worker starts would inherit SIG_IGN.
        signal.signal(number, lambda *_: None)
