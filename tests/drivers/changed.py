"""Drivers for the benchmark's tests: the reference driver with one thing changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from msgspec import structs

from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.enums import ErrorStatus, FeatureLevel, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModelCallback
from nnvet.hal.memory import mapped
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import MappableFile, Model, NumberOfCacheFiles, Operation, PrepareModelConfig
from nnvet.reference_driver import create
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice
from nnvet.transport.wire.failures import DeathEvidence, DriverCrash, DriverHang


class Wrapped(BaseDevice):
    """The reference driver with something about it changed."""

    name = "wrapped"

    def __init__(self) -> None:
        """Make the driver that does the work."""
        self.inner = create("")

    def supports(self, model: Model, operation: Operation) -> bool:
        """Return True if the reference supports it."""
        return self.inner.supports(model, operation)

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """As the reference, without its cache."""
        return self.inner.build(model, config)


class Biased(Wrapped):
    """Adds something to every output."""

    def __init__(self, bias: float) -> None:
        """Shift by ``bias``: a number for floats, codes for bytes."""
        super().__init__()
        self.bias = bias

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """A model whose outputs are shifted."""
        prepared, bias = self.inner.compile(model, config), self.bias
        execute = prepared.run

        def shifted(request: Any, *rest: Any) -> Any:
            result = execute(request, *rest)
            for argument, index in zip(request.outputs, model.main.output_indexes, strict=True):
                place = argument.location
                dtype = "float32" if model.main.operands[index].scale == 0 else "uint8"
                with mapped(request.pools[place.pool_index]) as view:
                    array = np.frombuffer(view[place.offset : place.offset + place.length], dtype)
                    array += np.asarray(bias, dtype)
                    del array
            return result

        prepared.run = shifted  # type: ignore[method-assign,assignment] # the driver's own code stays as it is
        return prepared


class Partial(Wrapped):
    """Does not take SOFTMAX."""

    def supports(self, model: Model, operation: Operation) -> bool:
        """All but one."""
        return operation.type != OperationType.SOFTMAX


class Old(Wrapped):
    """Of level 1."""

    feature_level = FeatureLevel.FL1


class Liar(Wrapped):
    """Supports everything and then refuses to compile."""

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """Refuse."""
        raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, "no")


class Dying(Wrapped):
    """Dies when it is to compile, as a driver in a service process is seen to."""

    def __init__(self, error: type[DriverCrash | DriverHang] = DriverCrash) -> None:
        """Die with ``error``."""
        super().__init__()
        self.error = error

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Die."""
        raise self.error("the driver is gone", DeathEvidence("prepare_model", "killed by SIGSEGV", signal="SIGSEGV"))


class Caching(Wrapped):
    """Writes the number of operations into its cache file and needs nothing else to prepare from it."""

    def __init__(self) -> None:
        """Begin without any cache."""
        super().__init__()
        self.saved: dict[bytes, Model] = {}
        self.loads = 0

    def get_number_of_cache_files_needed(self) -> NumberOfCacheFiles:
        """One model and one data file."""
        return NumberOfCacheFiles(1, 1)

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Prepare, and fill the files if there are any."""
        for file in (*config.model_cache, *config.data_cache):
            with open(file.handle.fd, "wb", closefd=False) as stream:
                stream.write(config.cache_token * 3)
            self.saved[config.cache_token] = model
        super().prepare_model(model, config, callback)

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[MappableFile],
        data_cache: Sequence[MappableFile],
        token: bytes,
        callback: PreparedModelCallback,
    ) -> None:
        """Find the model by what the files say."""
        with open(model_cache[0].handle.fd, "rb", closefd=False) as stream:
            assert stream.read() == token * 3
        self.loads += 1
        super().prepare_model(self.saved[token], PrepareModelConfig(), callback)


class HonestHalf(FullDevice):
    """Keeps every operand of relaxed models in float16, and adds up in float32, as float16 hardware does."""

    def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
        """Narrow what every kernel reads and writes."""
        prepared = super().build(model, config)
        for step in prepared.compiled.main.operations if model.relax_computation_float32_to_float16 else ():
            if isinstance(step, CompiledOperation):
                step.kernel = partial(_in_float16, step.kernel)
        return prepared


def _in_float16(kernel: Kernel, call: Call) -> Array | tuple[Array, ...]:
    inputs = {name: structs.replace(argument, value=_half(argument.value)) for name, argument in call.inputs.items()}
    found = kernel(structs.replace(call, inputs=inputs))
    return tuple(map(_half, found)) if isinstance(found, tuple) else _half(found)


def _half(values: Any) -> Any:
    is_float = isinstance(values, np.ndarray) and values.dtype == np.float32
    return values.astype(np.float16).astype(np.float32) if is_float else values
