"""The device of the bundled driver: its description, the operations that it supports, and the compilation of models.

An operation is supported if it has a kernel, is within the limits, and belongs to the variant. Variants are limited
forms of the driver, defined as data: they support only some operations or an older feature level. Most real drivers are
limited, so the suite is tested on variants, too. To add a variant, add a row to the table.

The performance figures of getCapabilities were measured: ``make capabilities`` writes their file by ``nnvet
capabilities``. Without energy counters the figure for power is 1, because the driver runs on the reference CPU itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Final
from weakref import ref

import msgspec
import numpy as np

from nnvet.diagnostics import vlog
from nnvet.diagnostics.graph_dump import log_graph
from nnvet.diagnostics.vlog import Tag
from nnvet.driver_kit.base_device import VERSION_VARIABLE, BaseDevice, make_capabilities
from nnvet.hal import types as hal
from nnvet.hal.calling import calling_client
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.operand_types import QUANT8_ASYMM, is_extension
from nnvet.hal.validation.request import check_allocation
from nnvet.hal.validation.subgraph import CONTROL_FLOW, fits
from nnvet.reference_driver import limits
from nnvet.reference_driver.buffers import BufferTracker
from nnvet.reference_driver.caching import CompilationCache
from nnvet.reference_driver.compiled import compile_model, known_declarations, referenced
from nnvet.reference_driver.fused.program import fuse, make_ready
from nnvet.reference_driver.kernels.registry import kernels, supported_extensions
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.scheduler import Line, Scheduler

FILE: Final = Path(__file__).with_name("performance.json")
"""Measured performance figures, written by ``make capabilities``."""
_UNSIGNED, _SIGNED = hal.OperandType.TENSOR_QUANT8_ASYMM, hal.OperandType.TENSOR_QUANT8_ASYMM_SIGNED


class _Figure(msgspec.Struct, frozen=True):
    name: str
    time: float | None
    power: float | None


class _Measured(msgspec.Struct, frozen=True):
    figures: tuple[_Figure, ...]


@cache
def measured_capabilities() -> hal.Capabilities:
    """Return the figures of the file. Types without one get that of float32, signed codes that of unsigned ones."""
    read = msgspec.json.decode(FILE.read_bytes(), type=_Measured)
    # The contract has figures as 32-bit floats.
    known = {
        figure.name: hal.PerformanceInfo(_single(figure.time), _single(figure.power or 1.0))
        for figure in read.figures
        if figure.time
    }
    float32, unsigned = known[hal.OperandType.TENSOR_FLOAT32.name], known[_UNSIGNED.name]
    codes = {_UNSIGNED: unsigned, _SIGNED: known.get(_SIGNED.name, unsigned)}
    return make_capabilities(float32, float32, known["relaxed float32 tensor"], codes)


def _single(value: float) -> float:
    return float(np.float32(value))


_MINIMAL = (hal.OperationType.ADD, hal.OperationType.CONCATENATION, hal.OperationType.CONV_2D)
"""Operations of the variant ``minimal``: those of Android's SampleDriverMinimal."""

Supports = Callable[[hal.Operation, hal.Subgraph], bool]
"""Function that tells whether a variant supports an operation of a subgraph."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A limited form of the driver: name, performance, supported operations, extensions and feature level."""

    name: str
    capabilities: hal.Capabilities
    supports: Supports
    extensions: Callable[[], tuple[ExtensionDeclaration, ...]] = tuple
    feature_level: hal.FeatureLevel = hal.FeatureLevel.FL8


def _first_input(operation: hal.Operation, subgraph: hal.Subgraph) -> int | None:
    return subgraph.operands[operation.inputs[0]].type if operation.inputs else None


def _everything(_operation: hal.Operation, _subgraph: hal.Subgraph) -> bool:
    return True


def _float_only(operation: hal.Operation, subgraph: hal.Subgraph) -> bool:
    return _first_input(operation, subgraph) == hal.OperandType.TENSOR_FLOAT32


def _minimal(operation: hal.Operation, subgraph: hal.Subgraph) -> bool:
    return operation.type in _MINIMAL and _float_only(operation, subgraph)


def _quant8_only(operation: hal.Operation, subgraph: hal.Subgraph) -> bool:
    position = 1 if operation.type == hal.OperationType.SELECT else 0
    return subgraph.operands[operation.inputs[position]].type in QUANT8_ASYMM


def _claims(
    float32: tuple[float, float], relaxed: tuple[float, float], default: tuple[float, float] = (1.0, 1.0)
) -> hal.Capabilities:
    """Return capabilities with one figure for float32, relaxed float32 and all else, as Android's sample drivers do."""
    return make_capabilities(
        hal.PerformanceInfo(*default), hal.PerformanceInfo(*float32), hal.PerformanceInfo(*relaxed)
    )


VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant("", measured_capabilities(), _everything, supported_extensions),
        Variant("float_fast", _claims((0.8, 1.2), (0.7, 1.1)), _float_only),
        Variant("float_slow", _claims((1.3, 0.7), (1.2, 0.6)), _float_only),
        Variant("minimal", _claims((0.4, 0.5), (0.4, 0.5)), _minimal),
        Variant("quant", _claims((50.0, 1.0), (50.0, 1.0), (50.0, 1.0)), _quant8_only),
        *(
            Variant(f"level_{level}", measured_capabilities(), _everything, feature_level=level)
            for level in hal.FeatureLevel
            if level < hal.FeatureLevel.FL8
        ),
    )
}
"""All variants by name; the full driver has the empty one."""


@dataclass(frozen=True, slots=True)
class _Extent:
    """Depth of nested subgraphs, and the number of operations that run if every loop runs once."""

    nesting: int
    steps: int


class Support:
    """Answers for the operations of one valid model whose extension codes are resolved."""

    def __init__(self, model: hal.Model, variant: Variant) -> None:
        """Examine all referenced subgraphs; the answers are those of ``variant``."""
        self._variant = variant
        self._extents: dict[int, _Extent | None] = {}
        for index in _innermost_first(model):
            self._extents[index] = self._of_subgraph(model.referenced[index])
        main = model.main
        self._main = {operation: self._extent(operation, main) for operation in main.operations}
        known = [self._main[operation] for operation in main.operations]
        self._is_too_long = sum(extent.steps for extent in known if extent is not None) > limits.STEPS

    def of(self, operation: hal.Operation) -> bool:
        """Return True if an operation of the main subgraph can run."""
        too_long = self._is_too_long and operation.type in CONTROL_FLOW
        return not too_long and self._main[operation] is not None

    def _extent(self, operation: hal.Operation, subgraph: hal.Subgraph) -> _Extent | None:
        """Return the extent of an operation; None if it cannot run."""
        if not self._has_kernel(operation, subgraph):
            return None
        if operation.type not in CONTROL_FLOW:
            return _Extent(0, 1)
        extents = [self._extents[index] for index in referenced(operation, subgraph)]
        steps = [extent.steps for extent in extents if extent is not None]
        if len(steps) != len(extents):
            return None
        nesting = 1 + max(extent.nesting for extent in extents if extent is not None)
        total = 1 + (max(steps) if operation.type == hal.OperationType.IF else sum(steps))
        return _Extent(nesting, total) if nesting <= limits.NESTING and total <= limits.STEPS else None

    def _has_kernel(self, operation: hal.Operation, subgraph: hal.Subgraph) -> bool:
        declaration = known_declarations().get(operation.type)
        operands = subgraph.operands
        ranks = [len(operands[index].dimensions) for index in (*operation.inputs, *operation.outputs)]
        if declaration is None or max(ranks, default=0) > limits.RANK:
            return False
        # The contract leaves the operands of an extension's operations to the driver.
        if is_extension(operation.type) and not fits(declaration, operation, subgraph):
            return False
        has_kernel = operation.type in CONTROL_FLOW or operation.type in kernels()
        return has_kernel and self._variant.supports(operation, subgraph)

    def _of_subgraph(self, subgraph: hal.Subgraph) -> _Extent | None:
        nesting, steps = 0, 0
        for operation in subgraph.operations:
            extent = self._extent(operation, subgraph)
            if extent is None:
                return None
            nesting, steps = max(nesting, extent.nesting), steps + extent.steps
        return _Extent(nesting, steps)


def _innermost_first(model: hal.Model) -> Iterator[int]:
    """Return the indexes of all referenced subgraphs, each after those that it refers to."""
    done: set[int] = set()
    for start in range(len(model.referenced)):
        # No recursion: the nesting of a model has no limit.
        stack = [start]
        while stack:
            subgraph = model.referenced[stack[-1]]
            inner = {index for operation in subgraph.operations for index in referenced(operation, subgraph)}
            if stack[-1] in done or inner <= done:
                index = stack.pop()
                if index not in done:
                    done.add(index)
                    yield index
            else:
                stack += inner - done


def create(variant: str = "") -> ReferenceDevice:
    """Make the device of a variant (``""`` is the full one).

    :raises ValueError: for an unknown variant, naming the known ones.
    """
    if variant not in VARIANTS:
        known = ", ".join(name for name in VARIANTS if name)
        raise ValueError(f"the reference driver has no variant {variant!r}; it has {known}")
    return ReferenceDevice(VARIANTS[variant])


@dataclass(frozen=True, slots=True)
class _Last:
    """Cache of the last model: the parts of it that decide on support, and its support."""

    model: Callable[[], hal.Model | None]
    looked_at: tuple[object, ...]
    support: Support | None


class ReferenceDevice(BaseDevice):
    """A CPU device for all operations and feature levels, or for those of a variant."""

    prepared_model: type[ReferencePreparedModel] = ReferencePreparedModel
    """Class of the models that :meth:`build` makes."""

    def __init__(self, variant: Variant) -> None:
        """Make a device with the limits of ``variant``."""
        self.name = f"nnvet-reference-{variant.name}" if variant.name else "nnvet-reference"
        self.version = os.environ.get(VERSION_VARIABLE) or version("nnvet")
        self.capabilities = variant.capabilities
        self.extensions = variant.extensions()
        self.feature_level = min(self.feature_level, variant.feature_level)
        self.cache = CompilationCache(self.name, self.version, self.extensions)
        self.buffers = BufferTracker()
        self.scheduler = Scheduler()
        self._variant = variant
        vlog.init()
        vlog.vlog(Tag.DRIVER, "%s %s", self.name, self.version)
        # Facts about the model seen last, since questions about the same model come in a row: first by identity, then
        # by the parts that an equal copy shares.
        self._last = _Last(lambda: None, (), None)

    def get_ready(self) -> None:
        """Compile the machine code for runs of operations, unless this machine has it already."""
        make_ready()

    def supports(self, model: hal.Model, operation: hal.Operation) -> bool:
        """Return True if there is a kernel; control flow needs kernels for all operations of its subgraphs."""
        last = self._last
        if last.support is None or last.model() is not model:
            looked_at = model.main, model.referenced, model.extension_name_to_prefix
            support = last.support if last.looked_at == looked_at else None
            last = self._last = _Last(ref(model), looked_at, support or Support(model, self._variant))
        assert last.support is not None  # noqa: S101 - only that of no model is
        return last.support.of(operation)

    def get_number_of_cache_files_needed(self) -> hal.NumberOfCacheFiles:
        """Return the number of files that the cache needs."""
        return self.cache.files_needed

    def compile(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
        """Build the model, and save it if there are cache files.

        :raises HalError: GENERAL_FAILURE if a pool cannot be mapped.
        """
        vlog.vlog(Tag.COMPILATION, "compile: %s", config)
        if vlog.is_on(Tag.MODEL):
            log_graph(self.name, model, partial(vlog.vlog, Tag.MODEL, "%s"))
        return self.cache.compile(model, config, self.build)

    def compile_from_cache(
        self, model_cache: Sequence[hal.MappableFile], data_cache: Sequence[hal.MappableFile], token: bytes
    ) -> ReferencePreparedModel:
        """Build the model that was saved in the cache files.

        :raises HalError: INVALID_ARGUMENT or GENERAL_FAILURE.
        """
        return self.cache.load(model_cache, data_cache, token, self.build)

    def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
        """Bind all operations and copy all constants.

        :raises HalError: GENERAL_FAILURE if a pool cannot be mapped.
        """
        line = Line(self.scheduler, calling_client(), config.priority)
        compiled = compile_model(model)
        fuse(compiled, config)
        prepared = self.prepared_model(model, compiled, self.buffers, line)
        prepared.feature_level = self._variant.feature_level
        return prepared

    def allocate(
        self,
        desc: hal.BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[hal.BufferRole],
        output_roles: Sequence[hal.BufferRole],
    ) -> tuple[Buffer, int]:
        """Allocate device memory; its shape may be unknown as long as it is empty.

        :raises HalError: INVALID_ARGUMENT; GENERAL_FAILURE for values of extensions, and for too much memory.
        """
        operand, roles = check_allocation(desc, prepared_models, input_roles, output_roles, self._model_of)
        vlog.vlog(Tag.MEMORY, "allocate: %s", operand)
        return self.buffers.allocate(operand, roles)

    def _model_of(self, prepared: PreparedModel) -> hal.Model | None:
        if isinstance(prepared, ReferencePreparedModel) and prepared.buffers is self.buffers:
            return prepared.model
        return None
