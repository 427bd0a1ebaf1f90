"""The rules that follow from declarations, broken once for every operation, signature and operand.

The declarations say what is right; what must happen to everything else is the contract's: INVALID_ARGUMENT for the
model, the declared status at execution.
"""

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.hal.enums import ErrorStatus, OperandType
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.binding import bind, check_ranks, required_level
from nnvet.hal.operations.declaration import ANY_TYPE, Argument, Phase, ZeroSized
from nnvet.hal.validation.subgraph import CONTROL_FLOW
from tests.hal.structural_calls import Fitting, fittings
from tests.single import run_single

ALL = list(fittings())
RUNNABLE = [fitting for fitting in ALL if fitting.declaration.type not in CONTROL_FLOW]
OPERANDS = [(fitting, position) for fitting in ALL for position in range(len(fitting.formals))]
RUN_OPERANDS = [(fitting, position) for fitting in RUNNABLE for position in range(len(fitting.formals))]


def operand_id(pair: tuple[Fitting, int]) -> str:
    """Call and operand."""
    return f"{pair[0].name}-{pair[0].formals[pair[1]].name}"


def broken_rule(fitting: Fitting, inputs: list[Argument], outputs: list[Argument]) -> str:
    """The rule that binding or the model-time ranks find broken."""
    with pytest.raises(HalError) as caught:
        check_ranks(bind(fitting.declaration, inputs, outputs), Phase.MODEL)
    assert caught.value.status == ErrorStatus.INVALID_ARGUMENT
    return caught.value.rule


@pytest.mark.parametrize("fitting", ALL, ids=lambda fitting: fitting.name)
def test_fitting_operands_bind(fitting: Fitting) -> None:
    """Operands made from the declaration fit it, and need at least the operation's level."""
    call = bind(fitting.declaration, fitting.inputs(), fitting.outputs())
    level, rule = required_level(call)
    assert level >= fitting.declaration.level
    assert rule.startswith(fitting.declaration.name + "/")


@pytest.mark.parametrize("fitting", ALL, ids=lambda fitting: fitting.name)
def test_wrong_counts(fitting: Fitting) -> None:
    """A list of inputs or outputs that is far too long breaks the count, not something else."""
    name = fitting.declaration.name
    if not any(formal.variadic for signature in fitting.declaration.signatures for formal in signature.inputs):
        assert broken_rule(fitting, fitting.inputs() * 40, fitting.outputs()) == f"{name}/inputs.count"
    assert broken_rule(fitting, [], fitting.outputs()) == f"{name}/inputs.count"
    assert broken_rule(fitting, fitting.inputs(), []) == f"{name}/outputs.count"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("pair", OPERANDS, ids=operand_id)
def test_wrong_types(pair: tuple[Fitting, int]) -> None:
    """An operand of a type that no combination has there breaks the rule of types."""
    fitting, position = pair
    formal = fitting.formals[position]
    if formal.type == ANY_TYPE:
        return
    inputs = fitting.inputs()
    # No operation of the contract takes this type.
    inputs[position] = replace(inputs[position], type=OperandType.TENSOR_OEM_BYTE)
    assert broken_rule(fitting, inputs, fitting.outputs()) == f"{fitting.declaration.name}/types"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("pair", OPERANDS, ids=operand_id)
def test_wrong_ranks(pair: tuple[Fitting, int]) -> None:
    """A rank outside of the bounds breaks the operand's rule, in the phase that the declaration says."""
    fitting, position = pair
    formal = fitting.formals[position]
    low, high = formal.rank or (1, None)
    if low == 1 and high is None:
        return
    inputs = fitting.inputs()
    shape = (1,) * (low - 1 if high is None else high + 1)
    inputs[position] = replace(inputs[position], dimensions=shape, value=np.ones(shape, inputs[position].dtype))
    rule = f"{fitting.declaration.name}/{formal.name}.rank"
    if formal.rank_phase is Phase.MODEL:
        assert broken_rule(fitting, inputs, fitting.outputs()) == rule
        return
    call = bind(fitting.declaration, inputs, fitting.outputs())
    with pytest.raises(HalError) as caught:
        check_ranks(call, Phase.EXECUTION)
    assert caught.value.rule == rule


@pytest.mark.sampled(3)
@pytest.mark.parametrize("pair", RUN_OPERANDS, ids=operand_id)
def test_values_that_are_missing(pair: tuple[Fitting, int]) -> None:
    """An operand that must have a value and has none fails the execution with the declared status."""
    fitting, position = pair
    formal = fitting.formals[position]
    if formal.omissible:
        return
    inputs = fitting.inputs()
    inputs[position] = replace(inputs[position], value=None, omitted=True)
    with pytest.raises(HalError) as caught:
        run_single(fitting.declaration.type, inputs, fitting.outputs())
    assert caught.value.rule == f"{fitting.declaration.name}/{formal.name}.omitted"
    assert caught.value.status == fitting.declaration.omission_status


@pytest.mark.parametrize("fitting", RUNNABLE, ids=lambda fitting: fitting.name)
def test_zero_sized_tensors(fitting: Fitting) -> None:
    """Operations that take no zero-sized tensors refuse them with the declared status, whatever else they get."""
    behaviour = fitting.declaration.zero_sized
    if behaviour is ZeroSized.ACCEPTED:
        return
    inputs = fitting.inputs()
    position = next(i for i, argument in enumerate(inputs) if OPERAND_TYPES[argument.type].is_tensor)
    shape = (0, *inputs[position].dimensions[1:])
    inputs[position] = replace(inputs[position], dimensions=shape, value=np.zeros(shape, inputs[position].dtype))
    with pytest.raises(HalError) as caught:
        run_single(fitting.declaration.type, inputs, fitting.outputs())
    assert caught.value.rule == f"{fitting.declaration.name}/zero_sized"
    assert caught.value.status == ErrorStatus[behaviour.value]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("pair", OPERANDS, ids=operand_id)
def test_levels_of_operands(pair: tuple[Fitting, int]) -> None:
    """An operand that came later lifts the level that the operation needs to its own at least."""
    fitting, position = pair
    formal = fitting.formals[position]
    level, _ = required_level(bind(fitting.declaration, fitting.inputs(), fitting.outputs()))
    assert level >= formal.level
