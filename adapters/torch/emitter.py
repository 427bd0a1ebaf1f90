"""Collects the steps of a graph whose shapes are all known: functions of tensors that PyTorch evaluates eagerly.

Operands are computed as numbers: floats in the type that the settings name, rounded after every operation, codes as the
real numbers that they stand for, in 64 bits, rounded to codes once. Codes can also be moved as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from nnvet.adapters.runtimes.claims import Graph, element_name
from nnvet.adapters.runtimes.functions import Function, FunctionEmitter
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument

_T = OperandType


@dataclass(frozen=True)
class TorchSettings:
    """Device of the tensors, and the types in which float32 of relaxed models and float16 are computed.

    ``must_be_here``: a result that lives elsewhere was computed elsewhere, and is an error.
    """

    device: Any = field(default_factory=lambda: torch.device("cpu"))
    relaxed: Any = torch.float32
    half: Any = torch.float32
    must_be_here: bool = False


class TorchEmitter(FunctionEmitter):
    """The steps of a graph in PyTorch."""

    def __init__(self, graph: Graph, settings: TorchSettings) -> None:
        """Begin without steps."""
        super().__init__(graph)
        self._settings = settings
        self._floats = {
            _T.TENSOR_FLOAT32: settings.relaxed if graph.relaxed else torch.float32,
            _T.TENSOR_FLOAT16: settings.half,
        }

    @property
    def device(self) -> Any:
        """The device that tensors live on."""
        return self._settings.device

    def tensor(self, value: npt.ArrayLike, dtype: str = "int64") -> Any:
        """A copy of an array as a tensor of the device; indices are int64."""
        return torch.from_numpy(np.array(value, dtype)).to(self._settings.device)

    def reading(self, argument: Argument) -> Function | None:
        """From what an operand stores to its numbers; None if they are the same."""
        if type_info(argument.type).is_quantized:
            return _dequantizing(argument)
        dtype = self._floats.get(OperandType(argument.type))
        if dtype is None or dtype == getattr(torch, element_name(argument.type)):
            return None
        return lambda value: value.to(dtype)

    def storing(self, argument: Argument) -> Function:
        """From the numbers of an operand to what it stores."""
        return _storing(argument)


def real_numbers(codes: Tensor, argument: Argument) -> Any:
    """The numbers that codes of an operand stand for."""
    return _dequantizing(argument)(codes)


def _dequantizing(argument: Argument) -> Function:
    channels = argument.channel_quant
    if channels is None:
        scale, zero_point = argument.scale, argument.zero_point
        return lambda codes: (codes.to(torch.float64) - zero_point) * scale
    shape = [-1 if axis == channels.channel_dim else 1 for axis in range(argument.rank)]
    scales = torch.tensor(channels.scales, dtype=torch.float64).reshape(shape)
    return lambda codes: codes.to(torch.float64) * scales.to(codes.device)


def _storing(argument: Argument) -> Function:
    """From the numbers of an operand to what it stores."""
    dtype = getattr(torch, element_name(argument.type))
    if not type_info(argument.type).is_quantized:
        return lambda value: value.to(dtype)
    scale, zero_point = argument.scale, argument.zero_point
    low, high = argument.quantized_range

    def quantized(value: Tensor) -> Any:
        # A NaN has the highest code.
        ratio = torch.nan_to_num(value.to(torch.float64) / scale, nan=math.inf)
        # Halves are rounded away from zero; torch.round would take them to the even neighbour.
        codes = torch.sign(ratio) * torch.floor(torch.abs(ratio) + 0.5) + zero_point
        return torch.clamp(codes, low, high).to(dtype)

    return quantized
