"""The arguments of one execution of a test, in memory of the type that the test's configuration asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from nnvet.conformance.engine.config import MemoryType, OutputType, TestConfig
from nnvet.conformance.engine.device_memory import DeviceArguments
from nnvet.conformance.engine.preparing import check_request
from nnvet.conformance.engine.shared_memory import pool_makers
from nnvet.generators.graphs.hal_model import ALIGNMENT
from nnvet.generators.graphs.hal_request import MakePool, PackedRequest, pack_request
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import Memory

_SPACING: Final = 64
"""Alignment and padding of arguments in bytes, where there is padding (docs/contract/vts-tests.md 7.4)."""

_UNWRITTEN: Final = b"\xff"
"""Content of outputs before an execution, NaN for floats: not the zeros that some of them are expected to become."""


@contextmanager
def arguments_for(
    test: TestModel, config: TestConfig, device: Device, prepared: PreparedModel
) -> Iterator[PackedRequest | DeviceArguments]:
    """The test's request, and what its outputs are, while the block runs.

    :raises CaseFailed: the driver has no such memory, or fails to provide it; ERROR if the request is invalid.
    """
    make_input_pool, make_output_pool = pool_makers(config.memory, read_only_inputs=config.padded)
    packed = pack_request(
        test,
        alignment=_SPACING if config.padded else ALIGNMENT,
        padding=_SPACING if config.padded else 1,
        input_dimensions=config.dimensions,
        short_output=config.output is OutputType.INSUFFICIENT,
        make_input_pool=make_input_pool,
        make_output_pool=partial(_unwritten, make_output_pool),
    )
    try:
        if config.output is not OutputType.INSUFFICIENT:
            check_request(test, packed.request)
        yield DeviceArguments(packed, test, device, prepared) if config.memory is MemoryType.DEVICE else packed
    finally:
        packed.close()


def _unwritten(make: MakePool, size: int, buffers: Iterable[tuple[int, bytes]]) -> Memory:
    return make(size, [(0, _UNWRITTEN * size), *buffers])
