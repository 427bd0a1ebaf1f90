"""The checks of raw packets: all mutants are there, right drivers pass, wrong ones fail with the rule they break."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.outcome import CaseFailed, Finished
from nnvet.conformance.suites.burst.raw import raw_burst
from nnvet.generators.mutations.requests import BAD_DATUMS, VTS_PACKET_MUTATIONS, absurd_numbers, datum, datums_of
from nnvet.hal.errors import invalid
from nnvet.hal.rules import all_rules
from nnvet.hal.types import Ashmem, DataLocation, Request, RequestArgument
from nnvet.reports.events import Verdict
from nnvet.transport.burst.packets import DATUM_BYTES, RequestDatum, encode_request
from nnvet.transport.wire.server import ServiceSession
from tests.adapters.models import add_model, add_pool, add_request
from tests.transport.burst_ends import AddModel
from tests.transport.test_burst_server import BAD_DATUMS as BAD_DATUMS_BY_HAND
from tests.transport.test_burst_server import broken

DRIVERS = Path(__file__).parents[1] / "drivers" / "lawful.py"
CASES = [case for check in checks().values() if check.suite == "ValidateBurst" for case in check.cases()]


def endings(selector: str, *globs: str, level: int | None = None) -> dict[str, Finished]:
    """Return the ends of the cases that a glob takes, run in process, by their id without the suite."""
    chosen = [case for case in CASES if any(fnmatchcase(case.id, f"ValidateBurst/{glob}") for glob in globs or "*")]
    target = Target(selector, in_process=True, timeout_s=20, level=level)
    ended = [event for event in run_cases(chosen, target) if isinstance(event, Finished)]
    assert len(ended) == len(chosen) > 0
    return {event.case.partition("/")[2]: event for event in ended}


def verdicts(ended: Iterable[Finished]) -> set[tuple[Verdict, str]]:
    """Verdicts with their rules."""
    return {(event.outcome.verdict, event.outcome.rule) for event in ended}


PASSED = {(Verdict.PASS, "")}


@pytest.fixture
def pool() -> Iterator[Ashmem]:
    """The memory of the sum."""
    with add_pool(1, 2, 3, 4) as pool:
        yield pool


@pytest.fixture
def packet(pool: Ashmem) -> bytes:
    """Nine datums: information, two inputs, an output, each with a dimension, slot, timing."""
    pair = add_request(pool)
    one = RequestArgument(location=DataLocation(0, 16, 8), dimensions=(2,))
    packet = encode_request(Request(pair.inputs, (one,)), (0,), measure_timing=True)
    assert packet is not None
    return packet


def test_bad_datums_are_those_of_vts() -> None:
    """Their bytes are those written by hand for the tests of the service's end."""
    assert tuple(BAD_DATUMS.values()) == BAD_DATUMS_BY_HAND
    assert [content[0] for content in BAD_DATUMS.values()] == list(RequestDatum)


def test_all_mutants_of_vts_are_there(packet: bytes) -> None:
    """They are those of a second, naive implementation; 9 removals, 7 x 10 insertions, 7 x 9 - 4 replacements."""
    datums = datums_of(packet)
    mutants = {name: list(mutate(datums)) for name, mutate in VTS_PACKET_MUTATIONS.items()}
    assert {name: len(found) for name, found in mutants.items()} == {
        "removeDatum": 9,
        "addDatum": 70,
        "mutateDatum": 59,
    }
    made = [mutant.of(datums) for found in mutants.values() for mutant in found]
    assert sorted(made) == sorted(broken(packet))
    described = [mutant.description for found in mutants.values() for mutant in found]
    assert len(set(described)) == len(described)


def test_absurd_numbers_change_one_number(packet: bytes) -> None:
    """4 counts, 4 numbers of each argument, its dimension and the slot, each with three values, and nothing else."""
    datums = datums_of(packet)
    mutants = list(absurd_numbers(datums))
    assert len(mutants) == 3 * (4 + 3 * 5 + 1)
    for mutant in mutants:
        changed = mutant.of(datums)
        assert len(changed) == len(packet)
        words = [place for place in range(0, len(packet), 4) if changed[place : place + 4] != packet[place : place + 4]]
        assert len(words) == 1
        assert int.from_bytes(changed[words[0] : words[0] + 4], "little") in (2**31 - 1, 2**31, 2**32 - 1)


def test_a_datum_is_its_words() -> None:
    """The discriminator, three zeros, words, zeros (docs/contract/hal.md 12.1 with the layout of the protocol)."""
    made = datum(RequestDatum.OUTPUT_OPERAND_INFORMATION, 1, 2, 3, 4, 5)
    assert made == bytes([3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0])
    assert datum(RequestDatum.MEASURE_TIMING, 1) == bytes([6, 0, 0, 0, 1]).ljust(DATUM_BYTES, b"\0")


@pytest.mark.parametrize("selector", ["reference", f"python:{DRIVERS}:terse", f"python:{DRIVERS}:other_errors"])
def test_right_drivers_pass(selector: str) -> None:
    """Shapes that are known need not be reported, and any error refuses a packet."""
    assert verdicts(endings(selector).values()) == PASSED


@pytest.mark.parametrize("level", [3, 4, 5])
def test_every_level_with_bursts(level: int) -> None:
    """All checks apply to drivers of feature level 3 and later, ..."""
    assert verdicts(endings("reference", "*/sum", "StrangePacket/*", level=level).values()) == PASSED


def test_no_level_without_bursts() -> None:
    """... and to none before."""
    ended = endings("reference", level=2)
    assert verdicts(ended.values()) == {(Verdict.UNSUPPORTED, "model/level")}


def test_a_service_without_queues_is_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queues are optional; the reason says what is missing."""

    def open_burst(*_: object) -> None:
        raise invalid("there is no method 'Service.open_burst'", "wire/method")

    monkeypatch.setattr(ServiceSession, "open_burst", open_burst)
    ended = endings("reference")
    assert verdicts(ended.values()) == {(Verdict.UNSUPPORTED, "burst/queue")}
    assert all("no fast message queues" in event.outcome.reason for event in ended.values())


def test_a_model_without_session_is_unsupported() -> None:
    """A model that no service stands for has no queues."""
    with (
        pytest.raises(CaseFailed, match="not reached by a service"),
        raw_burst(AddModel(add_model()), lambda _: None, 1),
    ):
        pass


def test_a_failure_names_the_packet() -> None:
    """The evidence says what was changed, by which mutation."""
    (event,) = endings("zoo:burst-discriminator", "mutateDatum/sum").values()
    assert event.outcome.evidence["mutation"] == "mutateDatum"
    # Datums of the sum: information, two inputs, an output, two slots, timing. The first bad datum whose contents
    # could be a MeasureTiming is the input's information, which begins with a 0.
    assert event.outcome.evidence["packet"] == "INPUT_OPERAND_INFORMATION instead of datum 6, MEASURE_TIMING"
    assert event.outcome.reason.endswith("it is executed")


def test_how_long_a_queue_has_to_be() -> None:
    """Four outputs of rank 2 make 2 + 4 + 8 datums: 14 and 15 will do; 13, VTS's 8, and 2 will not."""
    (event,) = endings("reference", "validateBurstFmqLength/unknown_outputs").values()
    assert event.outcome.evidence["statuses"] == {
        "14": "NONE",
        "15": "NONE",
        "2": "GENERAL_FAILURE",
        "8": "GENERAL_FAILURE",
        "13": "GENERAL_FAILURE",
    }


def test_rules_are_known() -> None:
    """Every rule that the checks name has a sentence."""
    named = {rule for check in checks().values() if check.suite == "ValidateBurst" for rule in check.rules}
    assert named <= all_rules().keys()
    assert {"burst/freed", "burst/length", "burst/recovery", "burst/result", "burst/sanitized"} <= named
