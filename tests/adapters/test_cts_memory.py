"""CTS's tests of memory domains, and of constants of extensions, by their names; see ``test_cts_runtime.py``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from nnvet.adapters.nnapi.declarations import ResultCode
from nnvet.adapters.nnapi.exported.calling import FFI
from nnvet.adapters.nnapi.exported.compilation import ClientCompilation
from nnvet.adapters.nnapi.exported.descriptions import FUNCTIONS as DESCRIPTIONS
from nnvet.adapters.nnapi.exported.descriptions import ClientDescription
from nnvet.adapters.nnapi.exported.devices import (
    check_usable,
    code_of,
)
from nnvet.adapters.nnapi.exported.memories import DescribedMemory, DriverMemory
from nnvet.adapters.nnapi.exported.model import ClientModel, add_operand, set_value
from nnvet.adapters.split.prepared import SplitPreparedModel
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.enums import OperationType
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.types import (
    BufferDesc,
    BufferRole,
    Extension,
    ExtensionOperandTypeInformation,
    Model,
    Subgraph,
)
from tests.adapters.split.test_cts_partitioning import MUL, SUB, FigureDevice, graph
from tests.adapters.split.test_interpreting import ADD
from tests.adapters.test_cts_runtime import code_of_call, exported, finished


class AllocatingDevice(FigureDevice):
    """A driver with memory, or one whose allocations fail."""

    def __init__(self, *kinds: OperationType, allocates: bool) -> None:
        """Support these."""
        super().__init__(0.1, *kinds)
        self._allocates = allocates
        self.name = "-".join(kind.name for kind in kinds)

    def allocate(
        self,
        desc: BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[BufferRole],
        output_roles: Sequence[BufferRole],
    ) -> tuple[Buffer, int]:
        """Give some memory, or none.

        :raises HalError: it is to fail.
        """
        assert not any(isinstance(model, SplitPreparedModel) for model in prepared_models)
        if not self._allocates:
            raise failure("no memory, as the test says", "allocate/supported")
        return NO_CONTENT, 1


class NoContent:
    """Memory that nobody looks into."""


NO_CONTENT: Any = NoContent()


CHAINED = graph([(ADD, (0, 1), 2), (SUB, (2, 3), 4), (MUL, (4, 5), 6)], [4, 6])
KINDS = (ADD, SUB, MUL)


def memory_for(compilation: ClientCompilation, inputs: Sequence[int], outputs: Sequence[int]) -> object:
    """Memory for these inputs and outputs.

    :raises RefusalError: as creating it fails.
    """
    description = ClientDescription()
    for index in inputs:
        DESCRIPTIONS["MemoryDesc_addInputRole"](description, compilation, index, 1.0)
    for index in outputs:
        DESCRIPTIONS["MemoryDesc_addOutputRole"](description, compilation, index, 1.0)
    DESCRIPTIONS["MemoryDesc_finish"](description)
    return DESCRIPTIONS["Memory_createFromDesc"](description)


@pytest.mark.parametrize("is_explicit", [False, True])
@pytest.mark.parametrize("allocates", [False, True])
def test_memory_on_one_device(allocates: bool, is_explicit: bool) -> None:
    """MemoryDomainTest.SinglePartition: the driver's; if that fails, shared unless the client named the device."""
    devices = exported(AllocatingDevice(*KINDS, allocates=allocates))
    compilation = finished(devices, CHAINED, is_explicit=is_explicit)
    create_memory = partial(memory_for, compilation, [0], [1])
    if is_explicit and not allocates:
        assert code_of_call(create_memory) == ResultCode.OP_FAILED
    else:
        assert isinstance(create_memory(), DriverMemory if allocates else DescribedMemory)


@pytest.mark.parametrize("allocates", [False, True])
@pytest.mark.parametrize(("inputs", "outputs"), [([0], []), ([1], []), ([], [1])])
def test_memory_on_several_devices(inputs: list[int], outputs: list[int], allocates: bool) -> None:
    """MemoryDomainTest.MultiplePartitions: the driver that alone has the role makes it, or else it is shared."""
    devices = exported(*(AllocatingDevice(kind, allocates=allocates) for kind in KINDS))
    compilation = finished(devices, CHAINED)
    made = memory_for(compilation, inputs, outputs)
    assert isinstance(made, DriverMemory if allocates else DescribedMemory)
    # The sum and the difference are written by one device, and read by another one.
    assert isinstance(memory_for(compilation, [], [0]), DescribedMemory)


@pytest.mark.parametrize("allocates", [False, True])
def test_memory_of_unknown_size(allocates: bool) -> None:
    """MemoryDomainTest.DynamicShape: only a driver can make it."""
    devices = exported(*(AllocatingDevice(kind, allocates=allocates) for kind in KINDS))
    compilation = finished(devices, with_unknown_output(CHAINED))
    create_memory = partial(memory_for, compilation, [], [1])
    if allocates:
        assert isinstance(create_memory(), DriverMemory)
    else:
        assert code_of_call(create_memory) == ResultCode.OP_FAILED


def with_unknown_output(model: Model) -> Model:
    """The model, whose last output is of unknown size."""
    main, last = model.main, model.main.output_indexes[-1]
    operands = list(main.operands)
    operands[last] = type(operands[last])(operands[last].type, (0,), lifetime=operands[last].lifetime)
    changed = Subgraph(tuple(operands), main.operations, main.input_indexes, main.output_indexes)
    return Model(changed, operand_values=model.operand_values)


class ExtendedDevice(BaseDevice):
    """A driver with an extension that has one type of tensors."""

    def get_supported_extensions(self) -> tuple[Extension, ...]:
        """Of elements of 2 bytes."""
        return (Extension("com.example.test", (ExtensionOperandTypeInformation(3, is_tensor=True, byte_size=2),)),)


def operand_type(*dimensions: int) -> Any:
    """The structure of C for a tensor of the extension's type."""
    ffi = FFI
    numbers = ffi.new("uint32_t[]", list(dimensions))

    class Structure:
        type = code_of("com.example.test", 3)
        dimensionCount = len(dimensions)  # noqa: N815 - as C has it
        scale = 0.0
        zeroPoint = 0  # noqa: N815 - same

    Structure.dimensions = numbers if dimensions else ffi.NULL  # type: ignore[attr-defined]
    return Structure


def test_constants_of_extensions() -> None:
    """SetOperandValue_UnspecifiedDimension, SetOperandValue_UnspecifiedRank, AddOperandDimensionProductOverflow."""
    check_usable(exported(ExtendedDevice())[0])
    model = ClientModel()
    for dimensions in ((2, 3), (2, 0), ()):
        add_operand(model, operand_type(*dimensions))
    value = FFI.new("char[12]")
    codes = [code_of_call(partial(set_value, model, index, value, 12)) for index in range(3)]
    assert codes == [ResultCode.NO_ERROR, ResultCode.BAD_DATA, ResultCode.BAD_DATA]
    large = operand_type(5, 4, 4, 786433, 5, 3, 16777216, 4, 5)
    assert code_of_call(partial(add_operand, model, large)) == ResultCode.BAD_DATA
