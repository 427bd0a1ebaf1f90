"""Planted bugs that no case of the suite shows; the fuzzer has to find them.

Some need unusual models (parameters, shapes, chains of operations), others unusual requests, packets, files or orders
of calls. The ``sign`` in each registration is a glob of the finding that the fuzzer has to report.
"""

from __future__ import annotations

import math
import os
import time
import weakref
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import xor
from typing import Any, Final

from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Burst, Device, Execution, FencedExecutionResult
from nnvet.hal.memory import memory_size
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.caching import CompilationCache, content
from nnvet.reference_driver.caching.compilation_cache import Build
from nnvet.reference_driver.caching.tokens import Entry, TokenMap, state_folder
from nnvet.reference_driver.compiled import CompiledOperation, CompiledSubgraph
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.burst import with_server
from nnvet.reference_driver.zoo.caching import with_cache
from nnvet.reference_driver.zoo.full_device import FullDevice, WrongKernels, only, with_prepared_model
from nnvet.reference_driver.zoo.registry import fuzz_bug
from nnvet.transport.burst.server import BurstServer

_O = hal.OperationType
_SQUARES: Final = tuple(radius * radius for radius in range(1024))
"""Table that a radius indexes without a check."""
_BLOCK: Final = 4096
"""Elements of a block; the size of the last dimension divides it, without a check for 0."""
_UNARY: Final = frozenset({_O.ABS, _O.EXP, _O.FLOOR, _O.LOG, _O.NEG, _O.RSQRT, _O.SIN, _O.SQRT})
"""Functions of single elements."""
_ROWS: Final = frozenset({_O.LOGISTIC, _O.RELU, _O.RELU1, _O.RELU6, _O.TANH})
"""Activations of which the driver plans blocks of rows."""
_ACTIVATIONS: Final = _ROWS | _UNARY
"""Operations whose pairs the driver tries to fuse."""
_PAIR_S: Final = 0.002
"""Seconds for each pair of operations in a chain."""
_PAGE: Final = 1 << 16
"""Elements for which a byte is reserved."""
_USUAL_RANK: Final = 4
"""Rank of the filters of convolutions."""
_USUAL_CHANNELS: Final = (0, 3)
"""Dimensions along which filters of convolutions have their scales."""
_OFF_BY: Final = 3
"""Error of the rare wrong results."""


class _Examining(FullDevice):
    """The full driver with a hook that examines every model it builds."""

    def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
        """Build the model, then examine its main subgraph."""
        prepared = super().build(model, config)
        self.examine(prepared.compiled.main)
        return prepared

    def examine(self, main: CompiledSubgraph) -> None:
        """Examine a main subgraph; each bug overrides this."""


def _steps(main: CompiledSubgraph, operations: frozenset[hal.OperationType]) -> Iterator[CompiledOperation]:
    for step in main.operations:
        if isinstance(step, CompiledOperation) and step.operation.type in operations:
            yield step


@fuzz_bug(
    "fuzz-unchecked-index",
    "A radius is an index into a table of 1024 squares, whatever it is.",
    "model",
    "exception * IndexError*examine*",
)
def unchecked_index() -> Device:
    """Use a radius as a table index without a check; LOCAL_RESPONSE_NORMALIZATION allows any that is not negative."""

    class Indexing(_Examining):
        def examine(self, main: CompiledSubgraph) -> None:
            """Look up every radius."""
            for step in _steps(main, frozenset({_O.LOCAL_RESPONSE_NORMALIZATION})):
                radius = main.arguments[step.operation.inputs[1]].value
                if radius is not None:
                    step.memory["square"] = _SQUARES[int(radius)]

    return Indexing()


class _Blocks(dict[tuple[tuple[int, ...], ...], Any]):
    """The plans of an operation, with the number of rows in each block."""

    def __setitem__(self, key: tuple[tuple[int, ...], ...], plan: Any) -> None:
        """Add a plan: its specs, and its outputs with their dimensions."""
        self.rows = _BLOCK // plan[1][0].dimensions[-1]
        super().__setitem__(key, plan)


@fuzz_bug(
    "fuzz-zero-division",
    "Activations divide by the size of the last dimension, which may be 0.",
    "model",
    "exception * *ZeroDivisionError*",
)
def zero_division() -> Device:
    """Divide by the size of the last dimension. It is 0 after a detector without detections, which few models move."""

    class Dividing(_Examining):
        def examine(self, main: CompiledSubgraph) -> None:
            """Plan in blocks of rows."""
            for step in _steps(main, _ROWS):
                step.plans = _Blocks()

    return Dividing()


@fuzz_bug(
    "fuzz-long-chain", "Preparing takes a time that grows with the square of the longest chain.", "model", "hang *"
)
def long_chain() -> Device:
    """Try to fuse every pair of operations in a chain of activations; the suite's models have short chains only."""

    class Pairing(_Examining):
        def examine(self, main: CompiledSubgraph) -> None:
            """Try all pairs."""
            time.sleep(_PAIR_S * longest_chain(main.source) ** 2)

    return Pairing()


def longest_chain(subgraph: hal.Subgraph) -> int:
    """Return the length of the longest chain of activations, each of which reads the previous one's output."""
    lengths: dict[int, int] = {}
    for operation in subgraph.operations:
        if operation.type in _ACTIVATIONS:
            lengths[operation.outputs[0]] = 1 + lengths.get(operation.inputs[0], 0)
    return max(lengths.values(), default=0)


@fuzz_bug(
    "fuzz-dimension-product",
    "Memory for each operand is taken by its dimensions before they are checked.",
    "model",
    "memory *",
)
def dimension_product() -> Device:
    """Reserve memory by dimensions before they are checked; a single absurd dimension does no harm yet, two do."""

    class Reserving(FullDevice):
        def check_model(self, model: hal.Model) -> None:
            """Reserve a byte for each page, then check."""
            for dimensions in (operand.dimensions for operand in model.main.operands):
                if len(dimensions) > _USUAL_RANK:
                    bytearray(max(0, math.prod(dimensions)) // _PAGE)
            super().check_model(model)

    return Reserving()


@fuzz_bug(
    "fuzz-channel-scales",
    "Scales along other dimensions than the first and the fourth are not looked at.",
    "model",
    "accepted model/operand.channel_scales *",
)
def channel_scales() -> Device:
    """Check scales per channel only along the two dimensions where filters of convolutions have them."""

    class Overlooking(FullDevice):
        def check_model(self, model: hal.Model) -> None:
            """Check a model in which all other scales have been corrected."""
            operands = tuple(_with_right_scales(operand) for operand in model.main.operands)
            super().check_model(replace(model, main=replace(model.main, operands=operands)))

    return Overlooking()


@fuzz_bug(
    "fuzz-kept-refusals",
    "A model with a wrong operand is kept with the error, for a list that nobody reads.",
    "model",
    "leak client/leak *",
)
def kept_refusals() -> Device:
    """Keep every refused model. Tests refuse a model once or twice, which is too little to notice."""

    class Keeping(FullDevice):
        def __init__(self) -> None:
            super().__init__()
            self.refused: list[tuple[str, hal.Model]] = []

        def check_model(self, model: hal.Model) -> None:
            """Check the model, and keep it if it is wrong."""
            try:
                super().check_model(model)
            except HalError as error:
                if error.rule.startswith("model/operand."):
                    self.refused.append((error.message, model))
                raise

    return Keeping()


def _with_right_scales(operand: hal.Operand) -> hal.Operand:
    params, dimensions = operand.extra_params, operand.dimensions
    if not isinstance(params, hal.SymmPerChannelQuantParams) or params.channel_dim in _USUAL_CHANNELS:
        return operand
    if not 0 <= params.channel_dim < len(dimensions) or operand.type != hal.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return operand
    return replace(operand, extra_params=replace(params, scales=(1.0,) * min(dimensions[params.channel_dim], _BLOCK)))


@fuzz_bug(
    "fuzz-rare-attribute",
    "AVERAGE_POOL_2D is wrong with layout NCHW, activation RELU1 and two different strides.",
    "differential",
    "wrong * AVERAGE_POOL_2D *",
)
def rare_attribute() -> Device:
    """Go wrong only for a combination of three attributes, each of which alone is computed right."""

    def wrong(kernel: Kernel, call: Call) -> Array:
        result = only(kernel(call))
        return result + result.dtype.type(_OFF_BY) if _is_rare(call) else result

    return WrongKernels({_O.AVERAGE_POOL_2D}, wrong)


def _is_rare(call: Call) -> bool:
    is_clipped = call.scalar("activation") == hal.FusedActivationFunc.RELU1
    return bool(
        call.scalar("layout", False) and is_clipped and call.scalar("stride_width") != call.scalar("stride_height")
    )


_UINT32: Final = 2**32
"""Numbers from here on wrap around in 32 bits."""
_SLOTS: Final = 16
"""Size of the table of small slot numbers, the only one from which slots are removed."""
_PATCH: Final = 0x50
"""First byte of a patch behind the data cache."""
_WORD: Final = 8
"""Bytes of a word of a token."""


@fuzz_bug(
    "fuzz-padding-bounds",
    "The process dies of a padding that takes the end of an argument beyond 2^32.",
    "request",
    "death *",
    service=True,
)
def padding_bounds() -> Device:
    """Compute the end of an argument in 32 bits, so that an overflow seems to lie inside the pool."""

    def is_beyond(argument: hal.RequestArgument, request: hal.Request) -> bool:
        place = argument.location
        if argument.has_no_value or not 0 <= place.pool_index < len(request.pools):
            return False
        pool = request.pools[place.pool_index]
        end = place.offset + place.length + place.padding
        return (
            place.padding > 0
            and end >= _UINT32
            and not isinstance(pool, hal.BufferToken)
            and (place.offset + place.length <= memory_size(pool) and end % _UINT32 <= memory_size(pool))
        )

    class Wrapping(ReferencePreparedModel):
        def check_request(self, request: hal.Request, *, unspecified_outputs: bool) -> None:
            """Die at a request that the wrong computation would accept and fill."""
            if any(is_beyond(argument, request) for argument in (*request.inputs, *request.outputs)):
                os.abort()
            super().check_request(request, unspecified_outputs=unspecified_outputs)

    return with_prepared_model(Wrapping)


@fuzz_bug("fuzz-stale-slot", "A burst keeps the memory of freed slots from 16 on.", "burst", "wrong burst/freed *")
def stale_slot() -> Device:
    """Forget freed slots in the table of small numbers only, which is the one that the suite's clients use."""

    class Keeping(BurstServer):
        def free_memory(self, slot: int) -> None:
            """Forget the slot if its number is small."""
            if slot < _SLOTS:
                super().free_memory(slot)

    return with_server(Keeping)


class _Patched(CompilationCache):
    def load(
        self,
        model_cache: Sequence[hal.MappableFile],
        data_cache: Sequence[hal.MappableFile],
        token: bytes,
        build: Build,
    ) -> ReferencePreparedModel:
        """Apply the patch behind constants and plans, if there is one: its kind, its size, and that many bytes."""
        prepared = super().load(model_cache, data_cache, token, build)
        entry, stored = self.verified(model_cache[0].handle.fd, token)
        known = stored.constants_size + entry.plans_size
        file = data_cache[0].handle.fd
        patch = content.read_at(file, max(0, content.file_size(file) - known), known)
        if patch and patch[0] == _PATCH:
            prepared.__dict__["patch"] = [patch[2 + place] for place in range(patch[1])]
        return prepared


@fuzz_bug(
    "fuzz-cache-over-read",
    "A patch behind the data cache is read to the size that it says it has.",
    "cache",
    "exception * IndexError*",
)
def cache_over_read() -> Device:
    """Read as many appended bytes as the file itself claims to have."""
    return with_cache(_Patched)


class _FoldedTokens(TokenMap):
    """A table that finds tokens by the exclusive or of their words."""

    def get(self, token: bytes) -> Entry | None:
        """Return the entry of a token."""
        return super().get(_folded(token))

    def put(self, token: bytes, entry: Entry) -> None:
        """Remember ``entry``."""
        super().put(_folded(token), entry)

    def amend(self, token: bytes, known: Entry, entry: Entry) -> bool:
        """Replace the entry by ``entry`` if it is still ``known``."""
        return super().amend(_folded(token), known, entry)


def _folded(token: bytes) -> bytes:
    words = (int.from_bytes(token[place : place + _WORD], "little") for place in range(0, len(token), _WORD))
    return reduce(xor, words, 0).to_bytes(_WORD, "little")


@fuzz_bug(
    "fuzz-cache-token",
    "A token whose words are in another order is taken for the one that was saved.",
    "cache",
    "accepted cache/token *",
)
def cache_token() -> Device:
    """Confuse tokens with the same words in another order; a flipped bit is still noticed."""
    device = FullDevice()
    device.cache.tokens = _FoldedTokens(state_folder(device.name), "folded")
    return device


class _Borrowed:
    """A reusable execution that runs on an object which its model can take away."""

    def __init__(self, shared: Execution) -> None:
        """Run on ``shared``."""
        self.shared: Execution | None = shared

    def execute_synchronously(self, deadline_ns: int) -> hal.ExecutionResult:
        """Run, without a check that ``shared`` is still there."""
        return self.shared.execute_synchronously(deadline_ns)  # type: ignore[union-attr] # the bug

    def execute_fenced(
        self, wait_for: Sequence[hal.Handle], deadline_ns: int, duration_ns: int
    ) -> FencedExecutionResult:
        """Run behind fences, without a check that ``shared`` is still there."""
        return self.shared.execute_fenced(wait_for, deadline_ns, duration_ns)  # type: ignore[union-attr] # the bug


class _Sharing(ReferencePreparedModel):
    """A prepared model that takes ``shared`` from all executions when the second of two open bursts is closed."""

    bursts = 0

    def create_reusable_execution(self, request: hal.Request, config: hal.ExecutionConfig) -> Execution:
        """Return an execution that runs on the shared object."""
        execution = _Borrowed(super().create_reusable_execution(request, config))
        self.__dict__.setdefault("borrowers", weakref.WeakSet()).add(execution)
        return execution

    def configure_execution_burst(self) -> Burst:
        """Return a burst; closing it while another one is open frees the shared object."""
        burst = super().configure_execution_burst()
        self.bursts += 1
        weakref.finalize(burst, self.close_burst, is_second=self.bursts > 1)
        return burst

    def close_burst(self, *, is_second: bool) -> None:
        """Free the shared object if this was the second burst."""
        self.bursts -= 1
        for borrower in self.__dict__.get("borrowers", ()) if is_second else ():
            borrower.shared = None


@fuzz_bug(
    "fuzz-use-after-close",
    "Reusable executions fail once the second of two bursts at a time is closed.",
    "calls",
    "exception * AttributeError*",
)
def use_after_close() -> Device:
    """Let a burst free an object that all executions use."""
    return with_prepared_model(_Sharing)
