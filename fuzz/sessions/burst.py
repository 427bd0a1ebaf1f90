"""The harness ``burst``: packets that a client writes into the message queue, and memory slots that it frees.

An input is a list of steps (:mod:`nnvet.fuzz.steps`). A step either sends a packet with a sum in two slots, which may
be changed or replaced by other bytes, or frees a slot, after which the slot gets other memory. The datums of a packet
say what it asks for, so the harness can judge every answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from nnvet.adapters.calls import prepare
from nnvet.adapters.driver import Driver
from nnvet.conformance.engine.target import Target, open_target
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.suites.burst.raw import RawBurst, raw_burst
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import Harness, NothingToFuzzError, OneInput
from nnvet.fuzz.steps import StepForm, is_sum, sum_models, sum_request
from nnvet.fuzz.target import restart
from nnvet.fuzz.words import binary_words
from nnvet.generators.random_graphs.chooser import PlainBytes
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.memory import create_ashmem
from nnvet.hal.types import Ashmem, Memory, Model, Request
from nnvet.hal.validation.request import validate_request
from nnvet.reports.events import Verdict
from nnvet.transport.burst.packets import DATUM_BYTES, RequestPacket, decode_request, encode_request
from nnvet.transport.wire.failures import DriverGone
from nnvet.transport.wire.proxies import QUEUE_DATUMS

FORM: Final = StepForm(size=16, most=16)
_SLOTS: Final = (0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 127, 128, 255, 256, 257, 1023, 1024, 2**16, 2**31 - 1)
"""Numbers of memory slots, around powers of 2 and at the end of int32."""
_POOL_BYTES: Final = 128
"""Size of the memory in a slot."""
_NUMBERS: Final = 16
"""Number of different contents that a memory can have."""
_WHOLE: Final = 2048
"""Up to this number, 16-bit floats represent every whole number."""
_WORDS: Final = (0, 1, 2, 3, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
"""Extreme values for a 32-bit word of a packet."""


class BurstInput:
    """Runs the inputs of the harness on a driver."""

    def __init__(self, driver: Driver, timeout_s: float) -> None:
        """Open bursts of ``driver``; an answer may take ``timeout_s``.

        :raises NothingToFuzzError: the driver does not support the sum, or its service has no queues.
        """
        self._driver = driver
        self._timeout_s = timeout_s
        self._model = self._supported()

    def _supported(self) -> Model:
        models = sum_models()
        try:
            supported = [model for model in models if all(self._driver.device.get_supported_operations(model))]
            for model in supported[:1]:
                with raw_burst(prepare(self._driver.device, model), lambda _: None, self._timeout_s):
                    pass
        except CaseFailed as failed:
            if failed.outcome.verdict is Verdict.UNSUPPORTED:
                raise NothingToFuzzError(failed.outcome.reason) from failed
        except (HalError, DriverGone):
            # The driver died in this question; every input will show that.
            self._driver.restart()
            return models[0]
        if not supported:
            raise NothingToFuzzError("the driver does not support a sum of two floats")
        return supported[0]

    def __call__(self, data: bytes) -> None:
        """Open a burst and take the steps.

        :raises FuzzFinding: the driver dies, does not answer, or gives a wrong answer.
        """
        try:
            prepared = prepare(self._driver.device, self._model)
            with raw_burst(prepared, lambda _: None, self._timeout_s) as burst:
                _Steps(burst, self._model).take(FORM.sources(data)[1])
        except CaseFailed as failed:
            outcome = failed.outcome
            raise FuzzFinding(FindingKind.WRONG, outcome.rule, outcome.reason, place=outcome.rule) from failed
        except DriverGone as gone:
            raise restart(self._driver, gone) from gone


class _Steps:
    """A burst, the memory of its slots, and the bytes from which the present step chooses."""

    def __init__(self, burst: RawBurst, model: Model) -> None:
        self._burst = burst
        self._source = PlainBytes(b"")
        self._model = model
        self._memories: dict[int, Ashmem] = {}
        burst.supply = self._supply

    def take(self, steps: Sequence[PlainBytes]) -> None:
        """Take the steps; each one chooses from bytes of its own."""
        for self._source in steps:
            kind = self._below(8)
            if kind == 0:
                self._free(self._slot())
            else:
                self._send(self._changed(self._packet()) if kind < 4 else self._packet())  # noqa: PLR2004 - three of eight

    def _send(self, packet: bytes) -> None:
        if not 0 < len(packet) <= QUEUE_DATUMS * DATUM_BYTES or len(packet) % DATUM_BYTES:
            return
        content = _decode(packet)
        before = self._contents(content.slots if content else ())
        result = self._burst.execute(packet, "a packet")
        request = None if content is None else self._request(content)
        if request is None:
            if result.status is ErrorStatus.NONE:
                raise FuzzFinding(FindingKind.ACCEPTED, "burst/packet", f"executed: {packet.hex()}")
        elif result.status is not ErrorStatus.NONE:
            message = f"{result.status.name} for a valid packet: {packet.hex()}"
            raise FuzzFinding(FindingKind.REFUSED, "execution/status", message)
        elif content is not None:
            self._check(content, request, before)

    def _request(self, content: RequestPacket) -> Request | None:
        """Return the request of a packet; None: it is invalid, or one of its slots has no memory."""
        if any(slot not in self._memories for slot in content.slots):
            return None
        request = Request(content.inputs, content.outputs, tuple(self._memories[slot] for slot in content.slots))
        try:
            validate_request(request, self._model)
        except HalError:
            return None
        return request

    def _check(self, content: RequestPacket, request: Request, before: dict[int, bytes]) -> None:
        """Check that the output holds the sum, and that nothing else has changed."""

        def numbers(place: int, offset: int, length: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
            return np.frombuffer(before[content.slots[place]][offset : offset + length], np.float32)

        first, second = (
            numbers(argument.location.pool_index, argument.location.offset, argument.location.length)
            for argument in request.inputs
        )
        result = request.outputs[0].location
        slot = content.slots[result.pool_index]
        total = first + second
        if self._model.relax_computation_float32_to_float16:
            written = self._contents((slot,))[slot][result.offset : result.offset + result.length]
            given = np.frombuffer(written, np.float32)
            # 16 bits may lack other numbers, so no verdict is based on them.
            total = given if is_sum(given, total) or not _are_whole(first, second, total) else total
        expected = before | {
            slot: b"".join(
                (
                    before[slot][: result.offset],
                    total.tobytes(),
                    before[slot][result.offset + result.length :],
                )
            )
        }
        if self._contents(content.slots) != expected:
            message = f"slot {slot} does not hold the sum, or something else has changed"
            raise FuzzFinding(FindingKind.WRONG, "burst/freed", message)

    def _contents(self, slots: Sequence[int]) -> dict[int, bytes]:
        return {
            slot: os.pread(self._memories[slot].handle.fd, _POOL_BYTES, 0) for slot in slots if slot in self._memories
        }

    def _supply(self, asked: tuple[int, ...]) -> tuple[ErrorStatus, tuple[Memory, ...]]:
        if any(slot not in self._memories for slot in asked):
            return ErrorStatus.INVALID_ARGUMENT, ()
        return ErrorStatus.NONE, tuple(self._memories[slot] for slot in asked)

    def _free(self, slot: int) -> None:
        """Free a slot; the next packet that names it finds other memory there."""
        self._burst.context.free_memory(slot)
        self._memories.pop(slot, None)

    def _slot(self) -> int:
        return _SLOTS[self._below(len(_SLOTS))]

    def _packet(self) -> bytes:
        """Return a valid packet, after its slots have got memory with new numbers."""
        slots = self._slot(), self._slot()
        for slot in slots:
            memory = self._memories.setdefault(slot, create_ashmem(_POOL_BYTES))
            numbers = np.arange(_POOL_BYTES // 4, dtype=np.float32) + self._below(_NUMBERS)
            os.pwrite(memory.handle.fd, numbers.tobytes(), 0)
        request = sum_request(tuple(self._memories[slot] for slot in slots))
        return encode_request(request, slots, measure_timing=bool(self._below(2))) or b""

    def _changed(self, packet: bytes) -> bytes:
        """Change a word of the packet, remove or double a datum, or replace the packet by bytes of the input."""
        kind, datums = self._below(5), [packet[at : at + DATUM_BYTES] for at in range(0, len(packet), DATUM_BYTES)]
        at = self._below(len(datums))
        if kind == 0:
            del datums[at]
        elif kind == 1:
            datums.insert(at, datums[self._below(len(datums))])
        elif kind == 2:  # noqa: PLR2004 - the third of five
            size = self._below(4) * DATUM_BYTES
            return self._source.ConsumeBytes(size).ljust(size, b"\0")
        else:
            word, size = 4 * self._below(DATUM_BYTES // 4), 4 if kind == 3 else 1  # noqa: PLR2004 - the fourth of five
            value = _WORDS[self._below(len(_WORDS))] if size > 1 else self._below(256)
            datums[at] = datums[at][:word] + value.to_bytes(size, "little") + datums[at][word + size :]
        return b"".join(datums)

    def _below(self, count: int) -> int:
        return self._source.ConsumeIntInRange(0, count - 1)


def _are_whole(*numbers: np.ndarray[tuple[int], np.dtype[np.float32]]) -> bool:
    """Return True if all numbers are whole ones that floats of 16 bits hold exactly."""
    return all(bool(((np.abs(part) <= _WHOLE) & (part == np.trunc(part))).all()) for part in numbers)


def _decode(packet: bytes) -> RequestPacket | None:
    try:
        return decode_request(packet)
    except HalError:
        return None


@contextmanager
def open_burst(target: Target) -> Iterator[OneInput]:
    """Open the harness on a driver; raises like :func:`nnvet.adapters.open_driver`."""
    with open_target(target) as driver:
        yield BurstInput(driver, target.timeout_s)


BURST: Final = Harness(
    name="burst",
    summary="packets of bursts, right and wrong ones, over the message queue, and slots that are freed",
    opens=open_burst,
    seeds=lambda: FORM.seeds("burst"),
    mutator=FORM.mutated,
    crossover=FORM.crossed,
    instrumented=("nnvet.transport.burst",),
    compares=True,
    words=binary_words,
    max_len=FORM.max_len,
)
