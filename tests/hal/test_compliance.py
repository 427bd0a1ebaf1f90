"""Which operations a driver of a level cannot be given. Expected sets are read off the lists of codes and types."""

import pytest
from msgspec.structs import replace

from nnvet.hal.compliance import is_compliant, noncompliant_operations
from nnvet.hal.errors import HalError
from nnvet.hal.types import Model, Operand, OperandLifeTime, OperandType, OperationType
from tests.hal.level_models import branching, chain, in_hardware_buffer

RELU, ABS, HARD_SWISH = OperationType.RELU, OperationType.ABS, OperationType.HARD_SWISH
LEVELS = range(1, 9)


def by_level(model: Model) -> list[set[int]]:
    """The operations that do not fit, for levels 1 to 8."""
    return [set(noncompliant_operations(model, level)) for level in LEVELS]


def levels_of(model: Model) -> list[int]:
    """The levels at which the whole model fits."""
    return [level for level in LEVELS if is_compliant(model, level)]


def test_operations_by_their_codes() -> None:
    """RELU begins at level 1, ABS at 3, HARD_SWISH at 4; each is told apart from its neighbours."""
    model = chain(RELU, ABS, HARD_SWISH)
    assert by_level(model) == [{1, 2}, {1, 2}, {2}, set(), set(), set(), set(), set()]
    assert levels_of(model) == [4, 5, 6, 7, 8]


def test_operations_by_their_types() -> None:
    """RELU takes TENSOR_FLOAT16 from level 3 on."""
    assert by_level(chain(RELU, operand_type=OperandType.TENSOR_FLOAT16))[:3] == [{0}, {0}, set()]


def test_unknown_ranks() -> None:
    """Tensors without a rank need level 3."""
    assert by_level(chain(RELU, dimensions=()))[:3] == [{0}, {0}, set()]


def test_relaxed_flag_does_not_count() -> None:
    """A relaxed model fits level 1, which has no such flag."""
    assert levels_of(replace(chain(RELU), relax_computation_float32_to_float16=True)) == list(LEVELS)


def test_oem_operations_end_with_hidl() -> None:
    """AIDL has neither the OEM operation nor the OEM types."""
    assert by_level(chain(RELU, OperationType.OEM_OPERATION)) == [set()] * 4 + [{1}] * 4
    assert levels_of(chain(OperationType.OEM_OPERATION, operand_type=OperandType.TENSOR_OEM_BYTE)) == [1, 2, 3, 4]


def test_extensions_begin_with_level_three() -> None:
    """Extensions came with 1.2; prefixes of 16 bits went with HIDL."""
    assert by_level(chain(RELU, 0x10000)) == [{1}] * 2 + [set()] * 6
    assert by_level(chain(RELU, 0x80000000)) == [{1}] * 2 + [set()] * 2 + [{1}] * 4


@pytest.mark.parametrize("inner", [RELU, HARD_SWISH, OperationType.OEM_OPERATION])
def test_control_flow_never_fits_below_level_four(inner: OperationType) -> None:
    """IF needs level 4 even if its branches need less; what comes before it stays compliant."""
    assert by_level(branching(RELU, inner))[:4] == [{1}, {1}, {1}, set()]


def test_branches_count_for_the_operation_that_refers_to_them() -> None:
    """An OEM operation in the second branch takes the IF out of AIDL, and nothing else."""
    assert by_level(branching(RELU, OperationType.OEM_OPERATION))[4:] == [{1}] * 4
    assert by_level(branching(RELU, RELU))[4:] == [set()] * 4


def test_memory_of_constants(add_model: Model) -> None:
    """Constants in hardware buffers need level 3; a buffer that no operand lies in does not matter."""
    model = in_hardware_buffer(add_model)
    assert by_level(model)[:3] == [{0}, {0}, set()]
    unused = replace(add_model, pools=model.pools)
    assert by_level(unused)[0] == set()
    assert levels_of(unused) == [3, 4, 5, 6, 7, 8]


def test_unused_operands_do_not_matter_to_operations() -> None:
    """An operand that nobody reads spoils the model, not its operations."""
    model = chain(RELU)
    omitted = Operand(OperandType.FLOAT16, lifetime=OperandLifeTime.NO_VALUE)
    main = replace(model.main, operands=(*model.main.operands, omitted))
    wider = replace(model, main=main)
    assert by_level(wider)[0] == set()
    assert levels_of(wider) == [3, 4, 5, 6, 7, 8]


def test_invalid_models_have_no_level() -> None:
    """A model that no level accepts is an error, with the broken rule."""
    model = chain(RELU)
    broken = replace(model, main=replace(model.main, operations=()))
    for ask in (is_compliant, noncompliant_operations):
        with pytest.raises(HalError) as caught:
            ask(broken, 8)
        assert caught.value.rule == "model/operations.empty"
