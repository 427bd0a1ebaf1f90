"""Round trips and bytes of a link: what is sent once, what does not wait, and what a slow or lost link changes."""

import socket
import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace as changed

from nnvet.adapters import open_driver, prepare
from nnvet.adapters.remote.link import _split
from nnvet.adapters.remote.messages import PROTOCOL, VERSION, Message, MessageKind, Splitter, pack
from nnvet.adapters.remote.replicas import Contents, Replica
from nnvet.conformance import check_driver
from nnvet.conformance.engine import pool as pools
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.pool import run_in_workers
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.engine.work import Assignment, Ready
from nnvet.conformance.kit.outcome import Finished
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, OperandLifeTime
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.types import DataLocation, ExecutionConfig, Model, Request, RequestArgument
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import LOST_LINKS
from nnvet.transport.wire.methods import METHODS
from tests.adapters.agents import TOKEN, Agent, listening, relay_to, service_of
from tests.adapters.models import add_model, add_pool, add_request, result_of

PATIENCE_S = 30.0
CONFIG = ExecutionConfig()
COUNT = 40_000
LENGTH = 4 * COUNT
SPEC = """
for size in (1, 2, 3):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5, 3.0][-size:], b: [0.0, 2.5, 3.0][-size:]}, model=model).DisableLifeTimeVariation()
"""


@pytest.fixture(autouse=True, scope="module")
def token() -> Iterator[None]:
    """The right one is in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NNVET_TOKEN", TOKEN)
        yield


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """An agent with the bundled driver."""
    with listening(tmp_path_factory.mktemp("agent"), service_of("reference")) as started:
        yield started


def sum_with_constant(numbers: np.ndarray[tuple[int], np.dtype[np.float32]], *, is_inline: bool) -> Model:
    """The sum of an input and constants, in the message itself or in a pool."""
    model = add_model((COUNT,))
    first, _, activation, output = model.main.operands
    inline = OperandLifeTime.CONSTANT_COPY
    lifetime = inline if is_inline else OperandLifeTime.CONSTANT_REFERENCE
    constant = changed(first, lifetime=lifetime, location=DataLocation(offset=4 * is_inline, length=LENGTH))
    main = changed(model.main, operands=(first, constant, activation, output), input_indexes=(0,))
    if is_inline:
        return changed(model, main=main, operand_values=struct.pack("<i", 0) + numbers.tobytes())
    pool = create_ashmem(LENGTH)
    with mapped(pool) as view:
        view[:] = numbers.tobytes()
    return changed(model, main=main, pools=(pool,))


@pytest.mark.parametrize("is_inline", [True, False], ids=["inline", "pool"])
def test_constants_are_sent_once(agent: Agent, is_inline: bool) -> None:
    """A second model with equal constants costs a few bytes, and one with others computes with those; numpy adds."""
    numbers = np.random.default_rng(3).random(COUNT, np.float32)
    others = numbers + 1
    with relay_to(agent) as relay, open_driver(f"tcp:127.0.0.1:{relay.port}", timeout_s=PATIENCE_S) as driver:
        cost = []
        for constants in (numbers, numbers, others, numbers):
            before = relay.passed
            prepared = prepare(driver.device, sum_with_constant(constants, is_inline=is_inline))
            cost.append(relay.passed - before)
            pool = create_ashmem(2 * LENGTH)
            request = Request(
                (RequestArgument(location=DataLocation(length=LENGTH)),),
                (RequestArgument(location=DataLocation(offset=LENGTH, length=LENGTH)),),
                (pool,),
            )
            prepared.execute_synchronously(request, CONFIG, NO_DEADLINE)
            with mapped(pool) as view:
                np.testing.assert_array_equal(np.frombuffer(view[LENGTH:], np.float32), constants)
    assert min(cost[0], cost[2]) >= LENGTH
    assert max(cost[1], cost[3]) < LENGTH // 50


def kinds_of(messages: list[bytes]) -> list[MessageKind]:
    """The kinds of messages."""
    return [message.kind for message in Splitter().feed(b"".join(messages))]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest unused goes first, and is sent again when it is needed again."""
    monkeypatch.setattr("nnvet.adapters.remote.replicas._MOST_KEPT", 3000)
    contents = Contents()
    parts = [bytes([number]) * 1000 for number in range(4)]
    references = [contents.refer(part)[0] for part in parts[:3]]
    assert contents.refer(parts[0]) == (references[0], [])
    assert kinds_of(contents.refer(parts[3])[1]) == [MessageKind.FORGET, MessageKind.KEEP]
    assert contents.refer(parts[0]) == (references[0], [])
    reference, first = contents.refer(parts[1])
    assert reference not in references
    assert kinds_of(first) == [MessageKind.FORGET, MessageKind.KEEP]


def test_short_runs_are_sent_as_they_are() -> None:
    """To name them would cost as much."""
    memory, contents = create_ashmem(100_000), Contents()
    with mapped(memory) as view:
        view[:100], view[50_000:60_000] = b"x" * 100, b"y" * 10_000
    sent = [kinds_of(list(Replica(number, (0, 0), memory.handle).changes(contents))) for number in range(2)]
    kinds = MessageKind
    assert sent[0] == [kinds.MEMORY, kinds.KEEP, kinds.PASTE, kinds.SEAL]
    assert sent[1] == [kinds.MEMORY, kinds.PASTE, kinds.SEAL]
    with mapped(memory) as view:
        view[:] = b"z" * 100 + bytes(99_900)
    short = kinds_of(list(Replica(3, (0, 0), memory.handle).changes(contents)))
    assert short == [kinds.MEMORY, kinds.RANGE, kinds.SEAL]


@pytest.mark.parametrize("noise", [b"", b"\xc6\x00\x00\x00\x07", b"\xc6" * 9, b"\xc6\xff\xff\xff\xff"])
def test_parts_make_the_payload(noise: bytes) -> None:
    """Whatever looks like the beginning of a byte string; a real one is found behind it."""
    constant = bytes(range(256)) * 1000
    payload = noise + b"head" + b"\xc6" + len(constant).to_bytes(4, "big") + constant + b"tail" * 20_000
    parts = list(_split(payload))
    assert b"".join(part for part, _ in parts) == payload
    assert max(len(part) for part, _ in parts) <= 1 << 16
    named = b"".join(part for part, is_constant in parts if is_constant)
    assert named in (constant, b"") if noise else named == constant
    assert [flag for _, flag in _split(b"short")] == [False]


def named(identifier: int, total: int) -> bytes:
    """A reference to a content."""
    return identifier.to_bytes(8, "little") + total.to_bytes(4, "little")


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([pack(MessageKind.AGAIN, 1, named(5, 0))], b"was not kept"),
        ([pack(MessageKind.KEEP, 5, b"constant"), pack(MessageKind.AGAIN, 1, named(5, 1))], b"was not kept"),
        ([pack(MessageKind.KEEP, 5, b"constant"), pack(MessageKind.AGAIN, 1, b"short")], b"too short"),
        (
            [
                pack(MessageKind.KEEP, 5, b"constant"),
                pack(MessageKind.FORGET, 5),
                pack(MessageKind.AGAIN, 1, named(5, 0xCB6AD5D8)),
            ],
            b"was not kept",
        ),
        ([pack(MessageKind.KEEP, number, bytes(1 << 20)) for number in range(65)], b"than it may"),
        (
            [
                pack(MessageKind.KEEP, 5, bytes(16)),
                pack(MessageKind.MEMORY, 7, (8).to_bytes(8, "little")),
                pack(MessageKind.PASTE, 7, bytes(8) + named(5, 0xECBB4B55)),
            ],
            b"beyond the end",
        ),
    ],
    ids=["unknown", "damaged", "short", "forgotten", "too much", "too long"],
)
def test_the_agent_refuses_references_that_are_wrong(agent: Agent, messages: list[bytes], said: bytes) -> None:
    """A constant that is not the one that was meant must never reach a driver. The sums of bytes are zlib's."""
    with socket.create_connection(("127.0.0.1", agent.port)) as connection:
        connection.sendall(pack(MessageKind.HELLO, body=f"{PROTOCOL}\n{VERSION}\n{TOKEN}".encode()))
        connection.sendall(b"".join(messages))
        heard = b"".join(iter(lambda: connection.recv(4096), b""))
    last: Message = Splitter().feed(heard)[-1]
    assert last.kind is MessageKind.REFUSED
    assert said in last.body


def test_the_round_trip_is_no_part_of_a_deadline(agent: Agent) -> None:
    """On arrival a call has as much time as when it was sent; both ends read the same clock here."""
    delay_ns = 200_000_000
    with (
        relay_to(agent, delay_s=delay_ns / 1e9) as relay,
        open_driver(f"tcp:127.0.0.1:{relay.port}", timeout_s=PATIENCE_S) as driver,
        add_pool(1, 2, 3, 4) as pool,
    ):
        assert 2 * delay_ns / 1e9 <= driver.round_trip_s < 5
        method, request = METHODS["PreparedModel.execute_synchronously"], add_request(pool)
        deadline_ns = boot_time_ns() + 60_000_000_000
        *_, sent_ns = driver.session._carrier.adapt(method, (request, CONFIG, deadline_ns))
        assert delay_ns <= sent_ns - deadline_ns < driver.round_trip_s * 1e9
        prepare(driver.device, add_model()).execute_synchronously(request, CONFIG, deadline_ns)
        assert result_of(pool) == (4, 6)


def test_a_link_lost_among_questions_sent_at_once(agent: Agent) -> None:
    """The whole case is run again, and passes; the driver is not to blame."""
    only = "OperationValidationTest/Types/ADD_TENSOR_FLOAT32*"
    with relay_to(agent, b"get_supported_operations") as relay:
        results = check_driver(f"tcp:127.0.0.1:{relay.port}", only=only).log.results
        assert not relay.fatal
    assert {result.verdict for result in results.values()} == {Verdict.PASS}
    (losses,) = [found for result in results.values() if (found := result.evidence.get("timings", {}).get(LOST_LINKS))]
    assert "link is lost" in losses[0]


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """Some spec files of three cases each."""
    folder = tmp_path / "specs"
    folder.mkdir()
    for number in range(12):
        (folder / f"spec_{number}.mod.py").write_text(SPEC)
    return folder


def run_far(selector: str, specs: Path, jobs: int | None) -> tuple[Counter[Verdict], int, set[int]]:
    """Verdicts of all cases, drivers that got ready, and processes of the suite that ran cases."""
    selection = Selection(("GeneratedTest/sync/*",))
    batches = Catalogue([specs], with_checks=False).batches(selection)
    said = list(run_in_workers(lambda: batches, Assignment(Target(selector), selection), jobs))
    ended = [event for event in said if isinstance(event, Finished)]
    assert len({event.case for event in ended}) == len(ended) == 36
    ready = sum(isinstance(event, Ready) for event in said)
    return Counter(event.outcome.verdict for event in ended), ready, {event.process for event in ended}


@pytest.mark.long
def test_a_slow_link_has_several_cases_on_their_way(agent: Agent, specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If nobody says how many processes there are; one that is asked for stays alone."""
    monkeypatch.setattr(pools, "_SHORT_S", 0.0)
    monkeypatch.setattr(pools, "_MOST_HELPERS", 2)
    passed = Counter({Verdict.PASS: 36})
    with relay_to(agent, delay_s=0.3) as relay:
        verdicts, ready, processes = run_far(f"tcp:127.0.0.1:{relay.port}", specs, None)
    assert verdicts == passed
    assert 1 < len(processes) <= ready <= 3
    with relay_to(agent, delay_s=0.02) as relay:
        verdicts, ready, processes = run_far(f"tcp:127.0.0.1:{relay.port}", specs, 1)
    assert (verdicts, ready, len(processes)) == (passed, 1, 1)


@pytest.mark.long
def test_a_driver_that_allows_one_process_only(specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Helpers whose driver does not start are let go: nothing was asked of the driver that it has to have."""
    monkeypatch.setattr(pools, "_SHORT_S", 0.0)
    command = f'exec 9>>{tmp_path}/device; flock -n 9 || exit 3; exec "$@"'
    with (
        listening(tmp_path, ("sh", "-c", command, "sh", *service_of("reference"))) as agent,
        relay_to(agent, delay_s=0.1) as relay,
    ):
        verdicts, ready, processes = run_far(f"tcp:127.0.0.1:{relay.port}", specs, None)
    assert (verdicts, ready, len(processes)) == (Counter({Verdict.PASS: 36}), 1, 1)
