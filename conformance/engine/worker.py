"""A worker process: ``python -P -m nnvet.conformance.engine.worker FD``; see :mod:`nnvet.conformance.engine.pool`."""

from __future__ import annotations

import sys
import threading
from multiprocessing.connection import Connection

from nnvet.adapters import SelectorError
from nnvet.conformance.engine.checks import checks
from nnvet.conformance.engine.collector import collect_rarely
from nnvet.conformance.engine.pool import Assignment, BatchEnded, Lost, Ready, Work
from nnvet.conformance.engine.session import DriverLostError, DriverUnderTest, Event, Started, open_session, run_batch


def serve(connection: Connection) -> None:
    """Do what comes over a connection until it is closed."""
    assignment: Assignment = connection.recv()
    # The suites are imported while the driver starts.
    threading.Thread(target=checks, name="nnvet-import", daemon=True).start()
    try:
        with open_session(assignment.target) as session:
            collect_rarely()
            connection.send(Ready(session.facts, tuple(session.findings)))
            while True:
                _work(connection, session, assignment, connection.recv())
    except SelectorError as error:
        connection.send(error)
    except DriverLostError as error:
        connection.send(Lost(error.finding))
    except EOFError:
        # Whoever gave out the work has got enough.
        pass


def _work(connection: Connection, session: DriverUnderTest, assignment: Assignment, work: Work) -> None:
    waiting: list[Event] = []
    try:
        for event in run_batch(session, work.batch, assignment.selection, work.done | assignment.done):
            waiting.append(event)
            if isinstance(event, Started):
                # Before it runs: if this process dies of the case, nobody else can tell which it was.
                connection.send(waiting)
                waiting = []
    finally:
        connection.send(waiting)
    connection.send(BatchEnded(work.batch))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
