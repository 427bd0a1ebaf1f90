"""A valid request of a prepared model as a packet of a burst, and what has to come of it and of corrupt copies."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.engine.config import Executor, OutputType, TestConfig
from nnvet.conformance.engine.executing import Answer
from nnvet.conformance.engine.judging import check_answer, precision_rules
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.preparing import open_request
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.burst.raw import USUAL_LENGTHS, RawBurst, Supply, decoded, memories_of, raw_burst
from nnvet.generators.graphs.hal_request import PackedRequest
from nnvet.generators.graphs.model import TestModel, TestOperand
from nnvet.generators.mutations.packets import PacketMutant, datums_of
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.types import Request, RequestArgument, Timing
from nnvet.transport.burst.packets import DATUM_BYTES, ResultDatum, ResultPacket, encode_request

SLOTS: Final = (0, 1)
"""Of the pool with the inputs and the one with the outputs."""

_SMALL: Final = 8
"""Datums of VTS's small result queue."""

_SHORTEST: Final = 2
"""Datums of the shortest result."""

_ROUNDS: Final = 3
"""So often a packet is sent through queues of odd lengths: elements come to lie across the end of the ring."""

_CONTENTS: Final = {
    ResultDatum.PACKET_INFORMATION: {0, *range(8, 20)},
    ResultDatum.OPERAND_INFORMATION: {0, 8, *range(12, 16)},
    ResultDatum.OPERAND_DIMENSION_VALUE: {0, *range(8, 12)},
    ResultDatum.EXECUTION_TIMING: {0, *range(8, 24)},
}
"""Places of the bytes of each datum that mean something: discriminator and contents (docs/contract/hal.md 12.1)."""


@dataclass(frozen=True)
class BurstRun:
    """A prepared test with its request in memory; ``output`` says what model and request tell of the outputs."""

    prepared: PreparedModel
    test: TestModel
    packed: PackedRequest
    timeout_s: float
    output: OutputType = OutputType.FULLY_SPECIFIED

    def packet(self, slots: Sequence[int] = SLOTS, *, measure: bool = False) -> bytes:
        """The valid packet.

        :raises CaseFailed: the request does not fit in a packet and the usual queue.
        """
        packet = encode_request(self.packed.request, slots, measure_timing=measure)
        if packet is None or len(packet) > USUAL_LENGTHS[0] * DATUM_BYTES:
            raise unsupported(f"no packet of {USUAL_LENGTHS[0]} datums can hold the request", "burst/packet")
        return packet

    def open(
        self, lengths: tuple[int, int] = USUAL_LENGTHS, supply: Supply | None = None
    ) -> AbstractContextManager[RawBurst]:
        """A burst of the model, which knows the pools by :data:`SLOTS` if nothing else is said."""
        known = supply or memories_of(SLOTS, (self.packed.input_pool, self.packed.output_pool))
        return raw_burst(self.prepared, known, self.timeout_s, lengths)

    def check_valid(
        self, burst: RawBurst, when: str = "", *, slots: Sequence[int] = SLOTS, measure: bool = False
    ) -> bytes:
        """Execute the valid request; ``when`` says after what, for a burst that has to have survived it.

        :returns: the result packet.
        :raises CaseFailed: it fails, or an output has a wrong value.
        """
        what = f"a valid packet {when}".rstrip()
        self.wipe()
        packet = burst.exchange(self.packet(slots, measure=measure), what)
        result = decoded(packet, what)
        if when and result.status is not ErrorStatus.NONE:
            raise fail("burst/recovery", f"{what} is answered with {result.status.name}", status=result.status.name)
        config = TestConfig(Executor.BURST, self.output, measure)
        answer = Answer(result.status, result.output_shapes, result.timing, "answer to a raw packet")
        if check_answer(answer, self.test, config):
            self.check_values()
        return packet

    def wipe(self) -> None:
        """Empty the outputs, so that what is there afterwards has been written meanwhile."""
        with mapped(self.packed.output_pool) as view:
            view[:] = bytes(len(view))

    def check_values(self) -> None:
        """Compare the outputs with the expected ones.

        :raises CaseFailed: an element is wrong.
        """
        precision_rules(self.test, self.packed.output_arrays(self.test.main.outputs))

    def of(self, prepared: PreparedModel) -> BurstRun:
        """The same request for another client's prepared model of the test."""
        return dataclasses.replace(self, prepared=prepared)

    def check_refused(self, burst: RawBurst, mutants: Iterable[tuple[str, PacketMutant]], when: str) -> int:
        """Each wrong packet is answered with an error, on one burst, which then executes the valid one again.

        :returns: how many were sent.
        :raises CaseFailed: one of them is not, or the burst is of no more use.
        """
        datums = datums_of(self.packet(measure=True))
        count = 0
        for name, mutant in mutants:
            packet = mutant.of(datums)
            # The contract has the client send no packet that is longer than the queue.
            if len(packet) <= USUAL_LENGTHS[0] * DATUM_BYTES:
                count += 1
                check_error(burst.execute(packet, mutant.description), mutant.description, mutation=name)
        self.check_valid(burst, when)
        return count

    def check_lengths(self) -> dict[str, ErrorStatus]:
        """Queues in which request and result just fit will do; in a shorter one the result becomes an error.

        :returns: the statuses by the length of the queue for results.
        :raises CaseFailed: a result that fits is an error, or one that does not is none.
        """
        with self.open() as burst:
            result = self.check_valid(burst)
        sent, came = len(self.packet()) // DATUM_BYTES, len(result) // DATUM_BYTES
        statuses = {}
        for slack in (0, 1):
            with self.open((sent + slack, came + slack)) as burst:
                for number in range(_ROUNDS):
                    self.check_valid(burst, f"number {number} through queues in which it fits")
                statuses[str(came + slack)] = ErrorStatus.NONE
        for length in sorted({came - 1, _SMALL, _SHORTEST}):
            if _SHORTEST <= length < came:
                statuses[str(length)] = self._too_long(length, came)
        return statuses

    def _too_long(self, length: int, needed: int) -> ErrorStatus:
        what = f"a result of {needed} datums for a queue of {length}"
        with self.open((USUAL_LENGTHS[0], length)) as burst:
            for _ in range(_ROUNDS):
                result = burst.execute(self.packet(), what)
                check_error(result, what, "burst/length")
        return result.status

    def check_sanitized(self) -> None:
        """Every byte of a result without a meaning is 0, so that nothing of the service's memory leaks out.

        :raises CaseFailed: one is not.
        """
        with self.open() as burst:
            packet = self.check_valid(burst, measure=True)
        for place, datum in enumerate(datums_of(packet)):
            leaked = [
                index for index, byte in enumerate(datum) if byte and index not in _CONTENTS[ResultDatum(datum[0])]
            ]
            if leaked:
                raise fail(
                    "burst/sanitized",
                    f"datum {place} of the result, {ResultDatum(datum[0]).name}, has something at bytes {leaked}",
                    datum=datum.hex(),
                )


@contextmanager
def burst_run(
    subject: Subject,
    prepared: PreparedModel,
    test: TestModel,
    output: OutputType = OutputType.FULLY_SPECIFIED,
    *,
    with_dimensions: bool = False,
) -> Iterator[BurstRun]:
    """The request of a prepared test in memory, while the block runs; ``with_dimensions``: it gives those too."""
    with open_request(test) as packed:
        sent = replace(packed, request=_with_dimensions(packed.request, test)) if with_dimensions else packed
        yield BurstRun(prepared, test, sent, subject.timeout_s, output)


def _with_dimensions(request: Request, test: TestModel) -> Request:
    """The request with the dimensions of all its arguments."""

    def with_dimensions(
        arguments: Sequence[RequestArgument], operands: Sequence[TestOperand]
    ) -> tuple[RequestArgument, ...]:
        pairs = zip(arguments, operands, strict=True)
        return tuple(replace(argument, dimensions=operand.dimensions) for argument, operand in pairs)

    return replace(
        request,
        inputs=with_dimensions(request.inputs, test.main.inputs),
        outputs=with_dimensions(request.outputs, test.main.outputs),
    )


def check_error(result: ResultPacket, what: str, rule: str = "burst/packet", **evidence: str) -> None:
    """Check that a result is an error without shapes and timing.

    :raises CaseFailed: it is not.
    """
    status = result.status.name
    if result.status is ErrorStatus.NONE:
        raise fail(rule, f"{what}: it is executed", packet=what, **evidence)
    if result.output_shapes or result.timing != Timing():
        raise fail("burst/result", f"{what}: shapes or timing are reported with {status}", packet=what, **evidence)
