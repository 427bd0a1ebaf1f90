"""Program of a client process of a stress test: ``python -P -m nnvet.conformance.stress.client FD``.

FD is a socket to the test. The client gets its connection to the driver and its order over it, does the work, and
reports. :mod:`nnvet.conformance.stress.clients` is the test's end, and has the roles, which say what clients do.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from functools import partial
from multiprocessing.connection import Connection

from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.adapters.service.activity import ProcessActivity
from nnvet.adapters.service.stacks import print_stacks_on_signal
from nnvet.adapters.service.strays import tree
from nnvet.conformance.kit.outcome import CaseFailed, Outcome, death_outcome, fail, suite_error, unsupported
from nnvet.conformance.stress.clients import ROLES, LoadClient
from nnvet.conformance.stress.loads import ClientSubject
from nnvet.conformance.stress.messages import BEAT_S, Awake, Beat, ClientOrder
from nnvet.conformance.stress.threads import ThreadsStuckError, WorkTally, run_threads
from nnvet.hal.errors import HalError
from nnvet.reports.events import Verdict
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import DriverGone
from nnvet.transport.wire.limits import unseen


def do_work(session: Session, order: ClientOrder, tally: WorkTally) -> None:
    """Do the work that is ordered; ``tally`` records its results, also after an error."""
    subject = ClientSubject(lambda: session.device, order.level, order.timeout_s)
    role = ROLES[order.role]
    try:
        works = role(LoadClient(subject, order.seed, order.threads, tally, order.folder))
        run_threads(works, order.duration_s, order.timeout_s, tally)
    except CaseFailed as failed:
        tally.fail(failed.outcome)
    except DriverGone as gone:
        tally.lose(death_outcome(gone))
    except ThreadsStuckError as stuck:
        tally.lose(Outcome(Verdict.HANG, "driver/hang", str(stuck)))
    except HalError as error:
        is_unsaid = error.rule == INEXPRESSIBLE
        tally.fail((unsupported(str(error), error.rule) if is_unsaid else fail("driver/reply", str(error))).outcome)
    except Exception as error:  # noqa: BLE001 - a fault of the suite is no crash of a client
        tally.fail(suite_error(error))


def _beat(control: Connection, tally: WorkTally, is_over: threading.Event, lock: threading.Lock) -> None:
    """Send a beat from time to time, so that the test knows that the client lives."""
    while not is_over.wait(BEAT_S):
        with lock:
            control.send(Beat(tally.done))


def main(descriptor: int) -> None:
    """Work for the test at the other end of a socket; it answers the first message with a connection to the driver."""
    print_stacks_on_signal()
    with Connection(os.dup(descriptor)) as awake:
        awake.send(Awake())
    with socket.socket(fileno=descriptor) as test:
        _, (driver,), *_ = socket.recv_fds(test, 1, 1)
        control = Connection(test.detach())
    with control:
        order: ClientOrder = control.recv()
        tally, is_over, lock = WorkTally(), threading.Event(), threading.Lock()
        threading.Thread(target=_beat, args=(control, tally, is_over, lock), name="nnvet-beat", daemon=True).start()
        try:
            look = unseen if order.driver is None else ProcessActivity(partial(tree, order.driver)).look
            session = Session(socket.socket(fileno=driver), timeout_s=order.timeout_s, look=look)
        except DriverGone as gone:
            tally.lose(death_outcome(gone))
        else:
            do_work(session, order, tally)
            session.close()
        is_over.set()
        with lock:
            control.send(tally.report())


if __name__ == "__main__":
    main(int(sys.argv[1]))
