"""Drivers behind an agent: verdicts equal those of a local run, and a lost link is not a crash of the driver."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from nnvet.adapters import (
    INEXPRESSIBLE,
    Driver,
    DriverBloat,
    DriverCrash,
    DriverGone,
    SelectorError,
    open_driver,
    prepare,
)
from nnvet.adapters.remote import driver as remote
from nnvet.adapters.remote import link as links
from nnvet.adapters.remote import stream
from nnvet.adapters.remote.carrier import LinkCarrier
from nnvet.adapters.remote.messages import PROTOCOL, Message, MessageKind, Splitter, pack
from nnvet.conformance import check_driver
from nnvet.conformance.kit.outcome import death_outcome
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, DeviceType, ErrorStatus, FenceState
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence, fence_state, wait_for_fence
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.types import ExecutionConfig
from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.evidence import LOST_LINKS
from nnvet.transport.message_queue import create_queue
from nnvet.transport.wire.framing import WireError
from nnvet.transport.wire.methods import METHODS, SERVICE_ID
from tests.adapters.agents import TOKEN, Agent, Relay, agent_program, listening, relay_to, service_of
from tests.adapters.conftest import MISBEHAVING
from tests.adapters.models import add_model, add_pool, add_request, result_of

ADD = Path(__file__).parents[2] / "conformance" / "specs" / "V1_0" / "add_float.mod.py"
MINIMAL = "reference:minimal"
CONFIG = ExecutionConfig()
PATIENCE_S = 30.0
LIMIT = 400 << 20
AGENT_KIB = 24 << 10


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """An agent with the bundled driver."""
    with listening(tmp_path_factory.mktemp("agent"), service_of("reference")) as started:
        yield started


@pytest.fixture(autouse=True, scope="module")
def token() -> Iterator[None]:
    """The right one is in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NNVET_TOKEN", TOKEN)
        yield


@pytest.fixture(scope="module")
def driver(agent: Agent, token: None) -> Iterator[Driver]:
    """The bundled driver behind the agent."""
    with open_driver(agent.selector, timeout_s=PATIENCE_S) as opened:
        yield opened


def test_every_executor_brings_the_results_home(driver: Driver) -> None:
    """Results, written there, are here when the call returns; inputs that change are sent again."""
    prepared = prepare(driver.device, add_model())
    with add_pool(1, 2, 3, 4) as pool:
        prepared.execute_synchronously(add_request(pool), CONFIG, NO_DEADLINE)
        assert result_of(pool) == (4, 6)
        execution = prepared.create_reusable_execution(add_request(pool), CONFIG)
        for count in range(10):
            # More often than calls are made before a queue would be opened.
            with mapped(pool) as view:
                view[:4], view[16:] = bytes([0, 0, 0x80, 0x3F + count]), bytes(8)
            execution.execute_synchronously(NO_DEADLINE)
            assert result_of(pool)[1] == 6
        burst = prepared.configure_execution_burst()
        with mapped(pool) as view:
            view[16:] = bytes(8)
        burst.execute_synchronously(add_request(pool), (1,), CONFIG, NO_DEADLINE)
        assert result_of(pool)[1] == 6


def test_fences_are_messages(driver: Driver) -> None:
    """Values written before the fence is given are computed; a fence in error is in error at the other end, too."""
    prepared = prepare(driver.device, add_model())
    with add_pool(0, 0, 0, 0) as pool, add_pool(1, 2, 3, 4) as other:
        fence, source = create_fence()
        running = prepared.execute_fenced(add_request(pool), (fence,), CONFIG, NO_DEADLINE, NO_DEADLINE)
        assert running.sync_fence is not None
        assert fence_state(running.sync_fence) is FenceState.ACTIVE
        with mapped(pool) as view, mapped(other) as values:
            view[:16] = values[:16]
        source.signal()
        assert wait_for_fence(running.sync_fence) is FenceState.SIGNALED
        assert result_of(pool) == (4, 6)
        fence, source = create_fence()
        running = prepared.execute_fenced(add_request(pool), (fence,), CONFIG, NO_DEADLINE, NO_DEADLINE)
        assert running.sync_fence is not None
        source.fail()
        assert wait_for_fence(running.sync_fence) is FenceState.ERROR


def test_memory_of_any_length_crosses(driver: Driver) -> None:
    """Constants of several parts, and a pool with a hole of a gibibyte, of which nothing is sent."""
    prepared = prepare(driver.device, add_model())
    pool = create_ashmem(1 << 30)
    with mapped(pool) as view:
        view[:16] = bytes.fromhex("0000803f000000400000404000008040")
    prepared.execute_synchronously(add_request(pool), CONFIG, NO_DEADLINE)
    with mapped(pool) as view:
        assert bytes(view[16:24]) == bytes.fromhex("000080400000c040")
    long = add_model()
    assert driver.device.get_supported_operations(
        type(long)(long.main, operand_values=long.operand_values + bytes(300_000))
    ) == (True,)


def test_deadlines_are_those_of_the_other_clock(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that is left here is left there: the driver, whose clock is late, sees one that has passed."""
    prepared = prepare(driver.device, add_model())
    with add_pool(1, 2, 3, 4) as pool:
        prepared.execute_synchronously(add_request(pool), CONFIG, boot_time_ns() + 60 * 10**9)
        late = stream.Clock(0, -3600 * 10**9)
        monkeypatch.setattr(links.Link, "clock", property(lambda _: late))
        with pytest.raises(HalError) as missed:
            prepared.execute_synchronously(add_request(pool), CONFIG, boot_time_ns() + 60 * 10**9)
    assert missed.value.status in (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)


def test_a_queue_is_refused_by_name(driver: Driver) -> None:
    """Its ends wake each other through memory, of which there is one on each machine."""
    prepared = prepare(driver.device, add_model())
    queues = create_queue(8, 16), create_queue(8, 16)
    with pytest.raises(HalError) as refused:
        driver.session.call(SERVICE_ID, METHODS["Service.open_burst"], (prepared, None, *queues))
    assert refused.value.rule == INEXPRESSIBLE


def test_a_second_client_goes_over_the_same_link(driver: Driver) -> None:
    """It has objects of its own."""
    with driver.another_client() as device, add_pool(1, 2, 3, 4) as pool:
        prepare(device, add_model()).execute_synchronously(add_request(pool), CONFIG, NO_DEADLINE)
        assert result_of(pool) == (4, 6)
    assert driver.device.get_type() is DeviceType.CPU


def test_cases_pass_as_they_do_here(agent: Agent) -> None:
    """Of all executors of one model, and of checks of lifetimes and fences."""
    only = ("GeneratedTest/*/add_float_vectors", "FenceTest/S*", "TestTrivialModel/*")
    results = check_driver(agent.selector, only=only, specs=[ADD]).log.results
    assert len(results) >= 8
    assert {result.verdict for result in results.values()} == {Verdict.PASS}


def test_the_wrong_token_is_refused(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has none gets no driver started."""
    monkeypatch.setenv("NNVET_TOKEN", TOKEN[:-1])
    with pytest.raises(SelectorError, match="the token is wrong"), open_driver(agent.selector):
        pass


def test_another_version_is_refused(agent: Agent) -> None:
    """In words that both understand."""
    with socket.create_connection(("127.0.0.1", agent.port)) as connection:
        connection.sendall(pack(MessageKind.HELLO, body=f"{PROTOCOL}\n3 2\n{TOKEN}".encode()))
        said = b"".join(iter(lambda: connection.recv(4096), b""))
    (message,) = Splitter().feed(said)
    assert message.kind is MessageKind.REFUSED
    assert b"speaks version 4" in message.body


def test_who_is_no_agent_is_refused() -> None:
    """Another server may listen at the port; nobody may."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client, listener.accept()[0] as server:
            server.sendall(b"SSH-2.0-OpenSSH_9.6 and then some\r\n")
            with pytest.raises(links.LinkError, match="no message of an agent"):
                links.Link(client, "", lambda _: None, PATIENCE_S)
    with pytest.raises(SelectorError, match="start nnvet-agent there"), open_driver(f"tcp:127.0.0.1:{port}"):
        pass


def crash_of(where: str) -> DriverCrash:
    """The crash of a driver that dies in a call."""
    with open_driver(where, timeout_s=PATIENCE_S) as driver, pytest.raises(DriverCrash) as crash:
        driver.device.get_type()
    return crash.value


def test_a_driver_that_dies_is_a_crash(tmp_path: Path) -> None:
    """With its exit status and last words, as on this machine; the next one is a fresh one."""
    with listening(tmp_path, service_of(f"python:{MISBEHAVING}:Exits")) as agent:
        crash = crash_of(agent.selector)
        assert (crash.evidence.exit_code, crash.evidence.suite_fault) == (7, "")
        assert "about to exit" in crash.evidence.stderr_tail
        assert death_outcome(crash).verdict is Verdict.CRASH
        assert crash_of(agent.selector).evidence.exit_code == 7


def test_output_comes_before_the_reply_that_follows_it(tmp_path: Path) -> None:
    """A case takes all that the driver has printed until its last reply; what comes later counts for the next case."""
    with (
        listening(tmp_path, service_of(f"python:{MISBEHAVING}:Counts")) as agent,
        open_driver(agent.selector, timeout_s=PATIENCE_S) as driver,
    ):
        for _ in range(100):
            number = driver.device.get_version_string()
            assert f"call {number}." in driver.output


def test_a_driver_that_takes_too_much_memory_is_killed(tmp_path: Path) -> None:
    """By the agent, which looks; the crash says what it had and what it may have."""
    with (
        listening(tmp_path, service_of(f"python:{MISBEHAVING}:Bloats")) as agent,
        open_driver(agent.selector, timeout_s=PATIENCE_S, memory_limit=LIMIT) as driver,
        pytest.raises(DriverBloat) as crash,
    ):
        driver.device.get_type()
    assert crash.value.evidence.memory_limit == LIMIT
    assert (crash.value.evidence.memory or 0) > LIMIT


def family_of(agent: Agent) -> list[psutil.Process]:
    """All processes below an agent."""
    return psutil.Process(agent.process.pid).children(recursive=True)


def gone_from(processes: list[psutil.Process]) -> bool:
    """Return True once all have ended."""
    return not psutil.wait_procs(processes, timeout=PATIENCE_S)[1]


def lost(driver: Driver) -> DriverGone:
    """The loss of a driver whose link is lost, as a call finds it."""
    with pytest.raises(DriverGone) as gone:
        while True:
            driver.device.get_type()
    assert death_outcome(gone.value).verdict is Verdict.ERROR
    return gone.value


def test_an_agent_that_is_killed_is_an_error_of_the_link(tmp_path: Path) -> None:
    """Its driver ends with it."""
    with (
        listening(tmp_path, service_of(MINIMAL)) as agent,
        open_driver(agent.selector, timeout_s=PATIENCE_S) as driver,
    ):
        processes = family_of(agent)
        assert len(processes) >= 2
        (session,) = agent.sessions()
        os.kill(session, 9)
        assert "the link is lost" in lost(driver).evidence.suite_fault
        assert gone_from(processes)


@pytest.mark.parametrize("is_silent", [False, pytest.param(True, marks=pytest.mark.long)], ids=["cut", "half-open"])
def test_a_link_that_is_cut_is_an_error_of_the_link(
    tmp_path: Path, is_silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ends notice, and the driver ends; the agent goes on to listen."""
    monkeypatch.setattr(stream, "SILENCE_S", 2.0)
    with listening(tmp_path, service_of(MINIMAL)) as agent, relay_to(agent) as relay:
        with open_driver(f"tcp:127.0.0.1:{relay.port}", timeout_s=PATIENCE_S) as driver:
            assert driver.device.get_type() is DeviceType.CPU
            if is_silent:
                relay.stop()
            else:
                relay.cut()
            reason = lost(driver).evidence.suite_fault
        assert ("nothing was heard" in reason) is is_silent
        processes = family_of(agent)
        relay.cut()
        assert gone_from(processes)
        assert agent.process.poll() is None


@pytest.mark.parametrize("killed", ["nobody", "session", "agent"])
def test_nothing_of_a_driver_stays(tmp_path: Path, killed: str) -> None:
    """Neither its process, nor what it has started, nor that of the agent which has served it, whoever is killed."""
    with listening(tmp_path, ("sh", "-c", 'setsid sleep 1000 & exec "$@"', "sh", *service_of(MINIMAL))) as agent:
        with open_driver(agent.selector, timeout_s=PATIENCE_S) as driver:
            processes = family_of(agent)
            assert any("sleep" in process.name() for process in processes)
            if killed == "nobody":
                assert driver.part() is None
            else:
                os.kill(agent.process.pid if killed == "agent" else agent.sessions()[0], signal.SIGKILL)
        assert gone_from(processes)
        assert (agent.process.poll() is None) is (killed != "agent")


def run_over(relay: Relay) -> dict[str, CaseFinished]:
    """Results of a few cases of one model over a relay."""
    where = f"tcp:127.0.0.1:{relay.port}"
    return dict(check_driver(where, only="GeneratedTest/sync/add_float_vectors*", specs=[ADD]).log.results)


def test_a_case_is_run_again_when_its_link_was_lost(agent: Agent) -> None:
    """It passes then; why it was lost stays in its evidence."""
    with relay_to(agent, b"execute_synchronously") as relay:
        results = run_over(relay)
        assert not relay.fatal
    assert {result.verdict for result in results.values()} == {Verdict.PASS}
    (losses,) = [found for result in results.values() if (found := result.evidence.get("timings", {}).get(LOST_LINKS))]
    assert "link is lost" in losses[0]


def test_a_link_that_cannot_be_had_again_is_nobodys_failure(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """The case and the run end with errors that say so; what was recorded before stays."""
    monkeypatch.setattr(remote, "RETURN_S", 0.5)
    with relay_to(agent, b"execute_synchronously", is_closing=True) as relay:
        results = run_over(relay)
    cut = [
        result
        for case, result in results.items()
        if case.startswith("GeneratedTest/") and result.verdict is Verdict.ERROR
    ]
    assert "link is lost" in cut[0].reason
    assert {result.verdict for result in results.values()} <= {Verdict.ERROR, Verdict.NOT_RUN, Verdict.PASS}
    assert "start nnvet-agent there" in results["driver/restart"].reason


def test_an_agent_without_memory_says_so(tmp_path: Path) -> None:
    """It is the device that has none, not the driver that is wrong; the next connection has some again."""
    service = ("sh", "-c", 'ulimit -S -v unlimited; exec "$@"', "sh", *service_of("reference"))
    with (
        listening(tmp_path, service, f"ulimit -S -v {AGENT_KIB}") as agent,
        open_driver(agent.selector, timeout_s=PATIENCE_S) as driver,
    ):
        prepared = prepare(driver.device, add_model())
        pool = create_ashmem(AGENT_KIB << 10)
        with mapped(pool) as view:
            view[:] = b"x" * len(view)
        with pytest.raises(DriverGone) as gone:
            prepared.execute_synchronously(add_request(pool), CONFIG, NO_DEADLINE)
        assert "no memory left" in gone.value.evidence.suite_fault
        driver.restart()
        assert driver.device.get_type() is DeviceType.CPU


def test_a_leak_on_the_other_machine_is_found(tmp_path: Path) -> None:
    """The driver's descriptors count, not those of the suite or the agent."""
    only = "LeakTest/Soak/executions"
    with (
        listening(tmp_path, service_of("zoo:leaks-descriptors-slowly")) as agent,
        open_driver(agent.selector) as driver,
    ):
        held = driver.holdings()
        assert held is not None
        assert (held.descriptors, held.threads) >= (3, 1)
        (result,) = check_driver(agent.selector, only=only).log.results.values()
    assert (result.verdict, result.rule) == (Verdict.FAIL, "client/leak")


def test_an_agent_that_serves_once_ends(tmp_path: Path) -> None:
    """With its suite; its token comes on standard input."""
    command = (str(agent_program()), "--listen", "0", "--token-file", "-", "--once", "--", *service_of(MINIMAL))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{TOKEN}\n")
        process.stdin.flush()
        port = process.stdout.readline().rpartition(":")[2].strip()
        with open_driver(f"tcp:127.0.0.1:{port}", timeout_s=PATIENCE_S) as driver:
            assert driver.device.get_type() is DeviceType.CPU
        assert process.wait(PATIENCE_S) == 0


def test_another_version_of_the_agent_is_refused() -> None:
    """Whatever it offers."""
    client, server = socket.socketpair()
    with client, server:
        server.sendall(pack(MessageKind.HELLO, body=b"5\nan agent to come"))
        with pytest.raises(links.LinkError, match="chose version 5"):
            links.Link(client, "", lambda _: None, PATIENCE_S)


def test_ssh_starts_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in its place runs its last argument, as ssh has a shell do on the other machine."""
    fake = tmp_path / "ssh"
    fake.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/said\nshift $(($# - 1))\nexec sh -c "$1"\n', encoding="utf-8")
    fake.chmod(0o755)
    service = tmp_path / "service"
    service.write_text("#!/bin/sh\n" + " ".join(f"'{word}'" for word in service_of(MINIMAL)) + "\n")
    service.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("NNVET_AGENT", str(agent_program()))
    with open_driver(f"ssh:me@board:2222/{service}", timeout_s=PATIENCE_S) as driver:
        assert driver.device.get_type() is DeviceType.CPU
    assert "-p 2222 me@board" in (tmp_path / "said").read_text(encoding="utf-8")
    fake.write_text("#!/bin/sh\necho no route to board >&2\nexit 255\n", encoding="utf-8")
    with pytest.raises(SelectorError, match="ssh says: no route to board"), open_driver(f"ssh:board/{service}"):
        pass


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--listen", "0", "--", "true"], "needs --token-file"),
        (["--stdio"], "usage"),
        (["--listen", "0", "--token-file", "/dev/null", "--", "true"], "no token"),
    ],
)
def test_the_agent_says_what_is_missing(arguments: list[str], said: str) -> None:
    """A port without a token would be open to every program of the machine."""
    run = subprocess.run([agent_program(), *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert run.returncode == 2
    assert said in run.stderr


def test_a_driver_may_end_before_anybody_speaks(agent: Agent) -> None:
    """Its connection is closed then when it is opened at this end."""
    with socket.create_connection(("127.0.0.1", agent.port)) as connection:
        link = links.Link(connection, TOKEN, lambda _: None, PATIENCE_S)
        link._act(Message(MessageKind.CLOSE, 1, b"said nothing"))
        with pytest.raises(WireError, match="said nothing"):
            LinkCarrier(link).primary.receive(time.monotonic() + PATIENCE_S)
        link.close()


def test_a_command_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    """With the reason that the system gives."""
    with (
        listening(tmp_path, ("/nowhere/service",)) as agent,
        pytest.raises(DriverGone) as gone,
        open_driver(agent.selector, timeout_s=PATIENCE_S),
    ):
        pass
    assert "/nowhere/service: No such file" in gone.value.message
