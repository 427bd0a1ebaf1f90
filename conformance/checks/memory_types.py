"""MemoryTypeTest: pools of requests in shared memory of every type, valid and not. Source: HAL contract 8.2 and 9.

VTS uses other memory than ``ashmem`` only in its generated tests, and nothing that a driver has to refuse.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from typing import Final

import numpy as np
from msgspec.structs import replace

from conformance.checks import check
from conformance.harness.device_copies import closing
from conformance.harness.executing import Answer, execute
from conformance.harness.handmade import basic_way, check_exactly, prepare_test, require
from conformance.harness.invalid_memory import INVALID_MEMORIES, InvalidMemory
from conformance.harness.outcome import fail
from conformance.harness.preparing import built_model
from conformance.harness.shared_memory import pool_makers
from conformance.harness.subject import Subject
from conformance.harness.ways import MemoryType, Way
from generators.graph import Graph, sum_of_two
from generators.hal_model import create_pool
from generators.hal_request import pack_request
from generators.test_model import TestModel
from hal.enums import ErrorStatus, OperandType, OperationType
from hal.errors import HalError
from hal.interfaces import PreparedModel
from hal.memory import HardwareBuffer, MappableFile, Memory, close, mapped
from hal.types import DataLocation, Request, RequestArgument

_SUITE: Final = "MemoryTypeTest"
_LENGTH: Final = 2 * mmap.PAGESIZE // 4
"""Elements of each tensor: more than a page, so that memory which lacks one is noticed."""
_BYTES: Final = 4 * _LENGTH
_RGBA: Final = 1

_A, _B = np.arange(_LENGTH) % 97, np.arange(_LENGTH) % 89
_TEST: Final = sum_of_two("sum", _A, _B, _A + _B)
_SHARED: Final = [memory_type for memory_type in MemoryType if memory_type is not MemoryType.DEVICE]
_REFUSALS: Final = (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE)
