"""The arguments of one execution of a test, in memory of the type that the way asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from nnvet.conformance.engine.device_memory import DeviceArguments
from nnvet.conformance.engine.shared_memory import pool_makers
from nnvet.conformance.engine.ways import MemoryType, OutputType, Way
from nnvet.generators.graphs.hal_model import ALIGNMENT
from nnvet.generators.graphs.hal_request import PackedRequest, pack_request
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.interfaces import Device, PreparedModel

_SPACING: Final = 64
"""Alignment and padding of arguments in bytes, where there is padding (VTS catalogue 7.4)."""


@contextmanager
def arguments_for(
    test: TestModel, way: Way, device: Device, prepared: PreparedModel
) -> Iterator[PackedRequest | DeviceArguments]:
    """The test's request, and what its outputs are, while the block runs.

    :raises CaseFailed: the driver has no such memory, or fails to provide it.
    """
    make_input_pool, make_output_pool = pool_makers(way.memory, read_only_inputs=way.padded)
    packed = pack_request(
        test,
        alignment=_SPACING if way.padded else ALIGNMENT,
        padding=_SPACING if way.padded else 1,
        short_output=way.output is OutputType.INSUFFICIENT,
        make_input_pool=make_input_pool,
        make_output_pool=make_output_pool,
    )
    try:
        yield DeviceArguments(packed, test, device, prepared) if way.memory is MemoryType.DEVICE else packed
    finally:
        packed.close()
