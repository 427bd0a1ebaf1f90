"""Program of a worker process, which runs cases for the runner: ``python -P -m nnvet.conformance.engine.worker FD``.

FD is a socket to the runner. :mod:`nnvet.conformance.engine.work` defines the messages, and
:mod:`nnvet.conformance.engine.worker_process` is the runner's end of the connection.
"""

from __future__ import annotations

import socket
import sys
import threading
from multiprocessing.connection import Connection

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.engine import driver
from nnvet.conformance.engine.stuck import WATCH
from nnvet.conformance.engine.work import Assignment, BatchEnded, Goodbye, Lost, Ready, SharedAssignment, Work
from nnvet.conformance.engine.worker_process import CaseSlot, Outbox
from nnvet.conformance.kit.checks import checks


def serve(connection: Connection, slot: CaseSlot, shared: SharedAssignment) -> None:
    """Carry out the orders of a connection until it is closed; ``slot`` holds the id of the present case.

    Cases of all workers take turns by locks on the shared memory of the assignment.
    """
    assignment = shared.read()
    outbox = Outbox(connection, slot)
    # The suites are imported while the driver starts, which saves time.
    threading.Thread(target=checks, name="nnvet-import", daemon=True).start()
    try:
        with driver.open_subject(assignment.target) as subject:
            driver.collect_rarely()
            subject.turns = driver.Turns(shared.handle)
            outbox.send(Ready(subject.facts, tuple(subject.findings), round_trip_s=subject.reached.round_trip_s))
            for event in subject.report_deaths():
                outbox.say(event)
            while isinstance(order := connection.recv(), Work):
                _run_work(outbox, subject, assignment, order)
            for event in subject.part():
                outbox.say(event)
            outbox.send(Goodbye())
    except SelectorError as error:
        outbox.send(error)
    except driver.DriverLostError as error:
        outbox.send(Lost(error.finding))
    except EOFError:
        # The runner has closed the connection: it needs no more results.
        pass


def _run_work(outbox: Outbox, subject: driver.DriverUnderTest, assignment: Assignment, work: Work) -> None:
    """Run the cases of an order, and send their events."""
    for event in driver.run_batch(subject, work.batch, assignment.selection, work.done | assignment.done):
        outbox.say(event)
    outbox.send(BatchEnded(work.batch))


def main(descriptor: int) -> None:
    """Serve the runner at the other end of a socket; it first sends the memory of slot and assignment."""
    WATCH.ends_process = True
    with socket.socket(fileno=descriptor) as runner:
        _, (slot, assignment), *_ = socket.recv_fds(runner, 1, 2)
        with Connection(runner.detach()) as connection:
            serve(connection, CaseSlot(slot), SharedAssignment(assignment))


if __name__ == "__main__":
    main(int(sys.argv[1]))
