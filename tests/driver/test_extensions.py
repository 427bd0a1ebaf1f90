"""The bundled driver and the extension ``nnvet.example``; expected values are by hand (8 fraction bits: x * 256)."""

import copy
import pickle
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.adapters import prepare
from nnvet.driver_kit.arrays import constant
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.generators.specs import dump_spec, load_spec
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import ExtensionDeclaration, resolved
from nnvet.hal.interfaces import Device
from nnvet.hal.memory import close, create_ashmem, mapped
from nnvet.hal.operand_types import ExtensionCode, ExtensionType
from nnvet.hal.types import (
    NO_DEADLINE,
    DataLocation,
    ErrorStatus,
    ExecutionConfig,
    Extension,
    ExtensionNameAndPrefix,
    ExtensionOperandTypeInformation,
    ExtensionParams,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    Request,
    RequestArgument,
    Subgraph,
)
from nnvet.reference_driver import create
from nnvet.reference_driver.device import VARIANTS
from nnvet.reference_driver.example_extension import ADD_FIXED64, EXAMPLE, TENSOR_FIXED64, TO_FIXED64

DOCS = Path(__file__).parents[2] / "docs"
SPECS = Path(__file__).parents[2] / "conformance" / "specs"
BITS = ExtensionParams(b"\x08")
OTHER_PREFIX = 0x0001


def code(number: int, prefix: int = EXAMPLE.prefix) -> int:
    """A plain number, as it comes over the wire."""
    return prefix << 16 | number


def fixed(lifetime: OperandLifeTime, *, prefix: int = EXAMPLE.prefix, **changes: Any) -> Operand:
    """A TENSOR_FIXED64 of two elements."""
    return replace(Operand(code(0, prefix), (2,), lifetime=lifetime, extra_params=BITS), **changes)


def add_model(prefix: int = EXAMPLE.prefix, name: str = "nnvet.example", **changes: Any) -> Model:
    """``output = input + constant (1, -1)``; ``changes`` are made to the operands named."""
    operands = {
        "input": fixed(OperandLifeTime.SUBGRAPH_INPUT, prefix=prefix),
        "constant": fixed(OperandLifeTime.CONSTANT_COPY, prefix=prefix, location=DataLocation(length=16)),
        "output": fixed(OperandLifeTime.SUBGRAPH_OUTPUT, prefix=prefix),
    }
    operands |= {key: replace(operands[key], **change) for key, change in changes.items()}
    main = Subgraph(tuple(operands.values()), (Operation(code(1, prefix), (0, 1), (2,)),), (0,), (2,))
    return Model(
        main,
        operand_values=struct.pack("<qq", 1, -1),
        extension_name_to_prefix=(ExtensionNameAndPrefix(name, prefix),),
    )


def run(
    device: Device, model: Model, values: bytes, *, dimensions: tuple[int, ...] = (), output_bytes: int = 16
) -> tuple[Any, bytes]:
    """Result and output buffer of one execution in pool 0, output first."""
    pool = create_ashmem(output_bytes + max(len(values), 1))
    with mapped(pool) as view:
        view[output_bytes : output_bytes + len(values)] = values
    argument = RequestArgument(location=DataLocation(0, output_bytes, len(values)), dimensions=dimensions)
    request = Request((argument,), (RequestArgument(location=DataLocation(0, 0, output_bytes)),), (pool,))
    try:
        prepared = prepare(device, model)
        result = prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
        with mapped(pool) as view:
            return result, bytes(view[:output_bytes])
    finally:
        close(pool)


def test_full_driver_reports_the_extension() -> None:
    """The full driver reports the extension with its one tensor type of 8 bytes; limited ones have none."""
    types = (ExtensionOperandTypeInformation(0, is_tensor=True, byte_size=8),)
    reported = {name: create(name).get_supported_extensions() for name in VARIANTS}
    assert reported == {"": (Extension("nnvet.example", types),)} | {name: () for name in VARIANTS if name}


@pytest.mark.parametrize("prefix", [OTHER_PREFIX, EXAMPLE.prefix, 0x7FFF])
def test_prefix_of_the_model_counts(prefix: int) -> None:
    """Whatever prefix a model chooses, the operation is supported, and constants of its type are read."""
    model = add_model(prefix)
    assert create().get_supported_operations(model) == (True,)
    result, output = run(create(), model, struct.pack("<qq", 2**62, -5))
    assert result.output_shapes[0].dimensions == (2,)
    assert struct.unpack("<qq", output) == (2**62 + 1, -6)


def narrow_operation(model: Model, **changes: Any) -> Model:
    """The model with its operation changed."""
    operation = replace(model.main.operations[0], **changes)
    return replace(model, main=replace(model.main, operations=(operation,)))


UNFIT = {
    "unknown extension": add_model(name="nnvet.other"),
    "extension not listed": replace(add_model(), extension_name_to_prefix=()),
    "unknown operation": narrow_operation(add_model(), type=code(7)),
    "unknown type": add_model(input={"type": code(7)}),
    "type of the contract": add_model(input={"type": OperandType.TENSOR_FLOAT32, "extra_params": None}),
    "three inputs": narrow_operation(add_model(), inputs=(0, 1, 1)),
    "one input": narrow_operation(add_model(), inputs=(0,)),
    "constant of a wrong length": add_model(constant={"location": DataLocation(length=15)}),
    "constant of unknown size": add_model(constant={"dimensions": (0,)}),
    "no extension data": add_model(output={"extra_params": None}),
    "too many fraction bits": add_model(input={"extra_params": ExtensionParams(b"\x3f")}),
    "different fraction bits": add_model(input={"extra_params": ExtensionParams(b"\x07")}),
    "more dimensions than arrays have": add_model(input={"dimensions": (1,) * 70}),
}


@pytest.mark.parametrize("model", UNFIT.values(), ids=UNFIT.keys())
def test_what_does_not_fit_is_unsupported(model: Model) -> None:
    """Whatever the declaration does not know is unsupported, never invalid, and is not prepared."""
    assert create().get_supported_operations(model) == (False,)
    with pytest.raises(HalError) as caught:
        prepare(create(), model)
    assert caught.value.status == ErrorStatus.INVALID_ARGUMENT


def test_operand_of_an_unknown_type_may_pass_by() -> None:
    """Inputs and constants of unknown types that no operation reads do not disturb."""
    unknown = Operand(code(9, 3), (5,), lifetime=OperandLifeTime.CONSTANT_COPY, location=DataLocation(length=3))
    model = add_model()
    model = replace(model, main=replace(model.main, operands=(*model.main.operands, unknown)))
    assert struct.unpack("<qq", run(create(), model, struct.pack("<qq", 1, 1))[1]) == (2, 0)


@pytest.mark.parametrize(("values", "dimensions"), [(b"\0" * 15, ()), (b"\0" * 24, (2,)), (b"\0" * 7, ())])
def test_input_of_a_wrong_length_is_invalid(values: bytes, dimensions: tuple[int, ...]) -> None:
    """Lengths of extension operands, which request validation leaves out, are checked when they are read."""
    with pytest.raises(HalError) as caught:
        run(create(), add_model(), values, dimensions=dimensions)
    assert (caught.value.status, caught.value.rule) == (ErrorStatus.INVALID_ARGUMENT, "request/length")


def test_output_of_unknown_size() -> None:
    """A buffer one byte short is reported with the shape that it needs."""
    model = add_model(output={"dimensions": ()})
    result, _ = run(create(), model, struct.pack("<qq", 1, 2), output_bytes=15)
    assert not result.output_sufficient_size
    assert [(shape.dimensions, shape.is_sufficient) for shape in result.output_shapes] == [((2,), False)]


def test_unresolved_codes_equal_no_declared_one() -> None:
    """A prefix that belongs to another extension is not mistaken for the declaration's own."""
    model = resolved(add_model(name="nnvet.other"), (EXAMPLE,))
    codes = {operand.type for operand in model.main.operands} | {model.main.operations[0].type}
    assert codes.isdisjoint(EXAMPLE.codes)
    assert all(number > 0xFFFF for number in codes)


@pytest.mark.parametrize("original", [TENSOR_FIXED64, ADD_FIXED64])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda original: pickle.loads(pickle.dumps(original))])  # noqa: S301 - our own bytes
def test_codes_can_be_copied(original: ExtensionCode, duplicate: Any) -> None:
    """Copies of a code have its value, name and facts."""
    twin = duplicate(original)
    assert (twin, twin.name, twin.extension) == (original, original.name, "nnvet.example")
    assert getattr(twin, "info", None) == getattr(original, "info", None)


BAD_DECLARATIONS = {
    "name": ({"name": "Example"}, "lower-case"),
    "foreign code": ({"operand_types": (ExtensionType("a.b", 1, 0, "T", dtype="int8", is_tensor=True),)}, "another"),
    "two types": ({"operand_types": (TENSOR_FIXED64, TENSOR_FIXED64)}, "equal"),
    "two prefixes": (
        {"operand_types": (ExtensionType("nnvet.example", 1, 0, "T", dtype="int8", is_tensor=True),)},
        "one prefix",
    ),
}


@pytest.mark.parametrize(("change", "message"), BAD_DECLARATIONS.values(), ids=BAD_DECLARATIONS.keys())
def test_bad_declarations(change: dict[str, Any], message: str) -> None:
    """A declaration that no model could use is refused with the reason."""
    parts = {"name": EXAMPLE.name, "operand_types": EXAMPLE.operand_types, "operations": EXAMPLE.operations}
    with pytest.raises(ValueError, match=message):
        ExtensionDeclaration(**(parts | change))


@pytest.mark.parametrize("path", sorted(SPECS.rglob("extension_*.mod.py")), ids=lambda path: path.stem)
def test_specs_with_extensions_survive_a_dump(path: Path, tmp_path: Path) -> None:
    """Dumping and loading a spec keeps types, operations, extension data and values."""
    for case in load_spec(path):
        test = case.build()
        file = tmp_path / f"{case.name}.mod.py"
        file.write_text(dump_spec(test), encoding="utf-8")
        (again,) = [loaded.build() for loaded in load_spec(file)]
        for before, after in zip(test.subgraphs, again.subgraphs, strict=True):
            assert [operation.type for operation in before.operations] == [
                operation.type for operation in after.operations
            ]
            for old, new in zip(before.inputs + before.outputs, after.inputs + after.outputs, strict=True):
                assert (new.type, new.extension_data, new.dimensions) == (old.type, old.extension_data, old.dimensions)
                np.testing.assert_array_equal(new.data, old.data)


class Widened(BasePreparedModel):
    """One WIDEN."""

    def compute(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """The input in double precision, or its constant."""
        return [inputs[0].astype(np.float64)]


def test_example_of_the_documentation() -> None:
    """The declaration and the driver shown in docs/extensions.md work."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "extensions.md").read_text(encoding="utf-8"), re.DOTALL)
    scope: dict[str, Any] = {"BaseDevice": BaseDevice}
    exec("from nnvet.hal.validation.subgraph import fits\n" + "\n".join(blocks[:2]), scope)  # noqa: S102 - our own documentation
    device = scope["WideDevice"]()
    device.compile = lambda model, config: Widened(model)
    operands = (
        Operand(OperandType.TENSOR_FLOAT32, (2,), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(code(0, OTHER_PREFIX), (2,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
    )
    names = (ExtensionNameAndPrefix("com.example.wide", OTHER_PREFIX),)
    model = Model(
        Subgraph(operands, (Operation(code(0, OTHER_PREFIX), (0,), (1,)),), (0,), (1,)), extension_name_to_prefix=names
    )
    assert device.get_supported_operations(model) == (True,)
    assert device.get_supported_operations(add_model()) == (False,)
    assert struct.unpack("<dd", run(device, model, struct.pack("<ff", 0.5, -2.0))[1]) == (0.5, -2.0)


def test_constants_of_unknown_types_are_bytes() -> None:
    """Without a declaration nobody can say what a constant means: it is read as bytes."""
    operand = add_model().main.operands[1]
    values = constant(add_model(), operand)
    assert values is not None
    assert values.tolist() == [1, *[0] * 7, *[255] * 8]


def test_operations_name_their_extension() -> None:
    """Messages and rules name an operation with its extension."""
    assert TO_FIXED64.name == "nnvet.example::TO_FIXED64"
    assert all(rule.id.startswith("nnvet.example::") for operation in EXAMPLE.operations for rule in operation.rules)
