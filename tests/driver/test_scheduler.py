"""Slots of the scheduler: which execution gets one, when it is returned, and what happens after too long a wait."""

import threading
from collections.abc import Callable
from typing import Final

import pytest

from nnvet.hal.calling import Client
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.types import Priority
from nnvet.reference_driver import limits
from nnvet.reference_driver.scheduler import QUANTUM_NS, Line, Scheduler, Turn

PATIENCE_S: Final = 20.0


class Clock:
    """Time that only the test moves."""

    def __init__(self) -> None:
        """Begin at 1000 ns."""
        self.now_ns = 1000

    def __call__(self) -> int:
        """The time."""
        return self.now_ns


class Worker:
    """An execution on a thread of its own: ``work`` runs in its turn, then its name is in ``ended``."""

    def __init__(
        self, name: str, line: Line, ended: list[str], work: Callable[[Turn], None], deadline_ns: int = NO_DEADLINE
    ) -> None:
        """Start."""
        self.error: HalError | None = None
        self._arguments = name, line, ended, work, deadline_ns
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        name, line, ended, work, deadline_ns = self._arguments
        try:
            with line.turn(deadline_ns) as turn:
                work(turn)
                ended.append(name)
        except HalError as error:
            self.error = error

    def join(self) -> None:
        """Wait for the end."""
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()


def nothing(_: Turn) -> None:
    """No work."""


def until(condition: Callable[[], bool]) -> None:
    """Let other threads work until the condition holds."""
    pause = threading.Event()
    for _ in range(20_000):
        if condition():
            return
        pause.wait(0.001)
    raise AssertionError("the condition never held")


def queued(scheduler: Scheduler, names: list[tuple[str, Line]], ended: list[str]) -> list[Worker]:
    """Workers that wait, in this order."""
    workers = []
    for name, line in names:
        before = scheduler.waiting
        workers.append(Worker(name, line, ended, nothing))
        until(lambda before=before: scheduler.waiting == before + 1)  # type: ignore[misc]
    return workers


def lines(scheduler: Scheduler, client: Client) -> dict[Priority, Line]:
    """One line of each priority."""
    return {priority: Line(scheduler, client, priority) for priority in Priority}


def test_priority_then_order() -> None:
    """With one slot, waiting executions of one client run by priority, equal ones in the order of their arrival."""
    scheduler, ended = Scheduler(slots=1), list[str]()
    line = lines(scheduler, Client("one"))
    with line[Priority.LOW].turn(NO_DEADLINE):
        order = [("low", Priority.LOW), ("medium", Priority.MEDIUM), ("high", Priority.HIGH), ("low 2", Priority.LOW)]
        workers = queued(scheduler, [(name, line[priority]) for name, priority in order], ended)
    for worker in workers:
        worker.join()
    assert ended == ["high", "medium", "low", "low 2"]
    assert scheduler.waiting == 0


def test_a_running_execution_yields() -> None:
    """Between two operations an execution lets one of higher priority finish first, and none of its own."""
    scheduler, ended = Scheduler(slots=1), list[str]()
    line = lines(scheduler, Client("one"))
    with line[Priority.MEDIUM].turn(NO_DEADLINE) as turn:
        same, high = queued(scheduler, [("same", line[Priority.MEDIUM]), ("high", line[Priority.HIGH])], ended)
        turn.checkpoint()
        # It has its slot again, before the one of its own priority, which came later.
        assert ended == ["high"]
        assert turn.has_slot
    for worker in (same, high):
        worker.join()
    assert ended == ["high", "same"]


def test_time_away_does_not_count() -> None:
    """The clock of an execution stands still while it waits."""
    clock, ended = Clock(), list[str]()
    scheduler = Scheduler(slots=1, clock=clock)
    line = lines(scheduler, Client("one"))

    def work(_: Turn) -> None:
        clock.now_ns += 500

    with line[Priority.LOW].turn(NO_DEADLINE) as turn:
        begun = turn.now_ns()
        worker = Worker("high", line[Priority.HIGH], ended, work)
        until(lambda: scheduler.waiting == 1)
        turn.checkpoint()
        assert clock.now_ns == 1500
        assert turn.now_ns() == begun
        clock.now_ns += 7
        assert turn.now_ns() == begun + 7
    worker.join()


def test_clients_are_served_in_turns() -> None:
    """Of two clients the one goes first that was served longest ago, whatever the priorities; here the first."""
    scheduler, ended = Scheduler(slots=1), list[str]()
    many, few = Client("many"), Client("few")
    greedy, modest = Line(scheduler, many, Priority.HIGH), Line(scheduler, few, Priority.LOW)
    with greedy.turn(NO_DEADLINE):
        workers = queued(scheduler, [("a", greedy), ("b", greedy), ("c", greedy), ("x", modest), ("y", modest)], ended)
    for worker in workers:
        worker.join()
    assert ended == ["a", "x", "b", "y", "c"]


@pytest.mark.parametrize("ran_ns", [QUANTUM_NS - 1, QUANTUM_NS])
def test_another_client_waits_for_a_quantum(ran_ns: int) -> None:
    """An execution gives way to another client without a slot, but not at once."""
    clock, ended = Clock(), list[str]()
    scheduler = Scheduler(slots=1, clock=clock)
    mine, other = (Line(scheduler, Client(name), Priority.MEDIUM) for name in ("mine", "other"))
    with mine.turn(NO_DEADLINE) as turn:
        (worker,) = queued(scheduler, [("other", other)], ended)
        clock.now_ns += ran_ns
        turn.checkpoint()
        assert bool(ended) == (ran_ns == QUANTUM_NS)
    worker.join()


def test_deadline_while_waiting_is_transient() -> None:
    """An execution that does not get a slot in time might get one another time; it leaves no trace."""
    clock, ended = Clock(), list[str]()
    scheduler = Scheduler(slots=1, clock=clock)
    line = Line(scheduler, Client("one"), Priority.MEDIUM)
    with line.turn(NO_DEADLINE):
        late = Worker("late", line, ended, nothing, deadline_ns=clock.now_ns)
        late.join()
        assert late.error is not None
        assert late.error.status is ErrorStatus.MISSED_DEADLINE_TRANSIENT
        assert (scheduler.waiting, line.in_flight) == (0, 1)
    assert not ended
    with line.turn(NO_DEADLINE):
        assert line.in_flight == 1


def test_deadline_of_one_that_yielded() -> None:
    """An execution that gave way and does not get its slot back in time fails, and frees nothing twice."""
    clock, ended = Clock(), list[str]()
    scheduler = Scheduler(slots=1, clock=clock)
    line = lines(scheduler, Client("one"))
    leave = threading.Event()

    def work(_: Turn) -> None:
        clock.now_ns = 2000
        assert leave.wait(PATIENCE_S)

    worker: Worker | None = None
    with pytest.raises(HalError) as late, line[Priority.LOW].turn(2000) as turn:
        worker = Worker("high", line[Priority.HIGH], ended, work)
        until(lambda: scheduler.waiting == 1)
        clock.now_ns = 1999
        turn.checkpoint()
    assert late.value.status is ErrorStatus.MISSED_DEADLINE_TRANSIENT
    leave.set()
    assert worker is not None
    worker.join()
    # There is exactly one slot again.
    with line[Priority.LOW].turn(NO_DEADLINE):
        waiting = Worker("next", line[Priority.HIGH], ended, nothing)
        until(lambda: scheduler.waiting == 1)
    waiting.join()
    assert ended == ["high", "next"]


def test_deadline_between_operations() -> None:
    """A deadline that passes during an execution ends it at the next operation, as one that might be met later."""
    clock = Clock()
    line = Line(Scheduler(slots=1, clock=clock), Client("one"), Priority.MEDIUM)
    with pytest.raises(HalError) as late, line.turn(1500) as turn:
        clock.now_ns = 1499
        turn.checkpoint()
        clock.now_ns = 1500
        turn.checkpoint()
    assert late.value.status is ErrorStatus.MISSED_DEADLINE_TRANSIENT


def test_a_client_that_has_gone_is_not_worked_for() -> None:
    """An execution ends at the next operation when its client has gone."""
    client = Client("one")
    with pytest.raises(HalError) as ended, Line(Scheduler(), client, Priority.HIGH).turn(NO_DEADLINE) as turn:
        turn.checkpoint()
        client.leave()
        turn.checkpoint()
    assert ended.value.status is ErrorStatus.GENERAL_FAILURE


def test_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit executions are refused at once, for the time being."""
    monkeypatch.setattr(limits, "WAITING", 1)
    scheduler, ended = Scheduler(slots=1), list[str]()
    line = Line(scheduler, Client("one"), Priority.MEDIUM)
    with line.turn(NO_DEADLINE):
        (worker,) = queued(scheduler, [("waits", line)], ended)
        with pytest.raises(HalError) as refused, line.turn(NO_DEADLINE):
            pass
        assert refused.value.status is ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT
    worker.join()
    assert ended == ["waits"]
    assert line.in_flight == 0


def test_slots_run_at_once() -> None:
    """As many executions as there are slots run at the same time."""
    scheduler, ended = Scheduler(slots=3), list[str]()
    line = Line(scheduler, Client("one"), Priority.MEDIUM)
    together = threading.Barrier(3)

    def meet(_: Turn) -> None:
        together.wait(PATIENCE_S)

    for worker in [Worker(str(number), line, ended, meet) for number in range(6)]:
        worker.join()
    assert sorted(ended) == list("012345")


def test_many_threads() -> None:
    """Whatever the order, every execution runs once, and all slots are free in the end."""
    scheduler, ended = Scheduler(slots=2), list[str]()
    all_lines = [line for client in "abc" for line in lines(scheduler, Client(client)).values()]

    def work(turn: Turn) -> None:
        for _ in range(20):
            turn.checkpoint()

    workers = [Worker(str(number), all_lines[number % 9], ended, work) for number in range(60)]
    for worker in workers:
        worker.join()
        assert worker.error is None
    assert sorted(ended, key=int) == [str(number) for number in range(60)]
    assert scheduler.waiting == 0
    assert [line.in_flight for line in all_lines] == [0] * 9
    with all_lines[0].turn(NO_DEADLINE), all_lines[1].turn(NO_DEADLINE):
        pass
