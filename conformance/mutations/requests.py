"""Mutations of requests. Source: VTS catalogue, 3 (the first two); HAL contract, 8.1 and 8.2 (the rest)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from conformance.mutations.editing import Mutant
from hal.memory import Handle, memory_size
from hal.operand_types import OPERAND_TYPES
from hal.types import Ashmem, BufferToken, DataLocation, Model, Operand, Request, RequestArgument
