"""Calls of an exported library that the suite does not make: order, results, caching in a folder.

Source: docs/contract/c-api.md 1.4, sample-driver.md 7.1.
"""

import hashlib
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters.nnapi.declarations import ResultCode
from nnvet.adapters.nnapi.exported.building import ExportError, export_drivers
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import HalError

FLOATS = OperandType.TENSOR_FLOAT32
CODES = OperandType.TENSOR_QUANT8_ASYMM
TOKEN = bytes(range(32))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> NnapiLibrary:
    """The bundled driver, and its form for codes of 8 bits, loaded into this process."""
    if not (os.environ.get("CC") or shutil.which("cc")):
        pytest.skip("there is no compiler of C to build the library with")
    out = tmp_path_factory.mktemp("exported") / "libneuralnetworks.so"
    try:
        export_drivers(["reference", "reference:quant"], out)
    except ExportError as error:
        pytest.skip(f"the library cannot be built here: {error}")
    return NnapiLibrary(str(out), is_support_library=False)


def devices(library: NnapiLibrary, *indexes: int) -> Any:
    """An array of devices."""
    found = [library.value("_getDevice", "ANeuralNetworksDevice*", index) for index in indexes]
    return library.ffi.new("ANeuralNetworksDevice*[]", found)


def operand(library: NnapiLibrary, model: Any, kind: OperandType, size: int, scale: float = 0.0) -> None:
    """Add a vector; size 0 is unknown."""
    dimensions = library.numbers("uint32_t", [size])
    library.call("Model_addOperand", model, library.structure("OperandType", kind, 1, dimensions, scale, 0))


def operation(library: NnapiLibrary, model: Any, kind: OperationType, read: int, written: int) -> None:
    """Add an operation on one operand."""
    inputs, outputs = (library.numbers("uint32_t", [index]) for index in (read, written))
    library.call("Model_addOperation", model, kind, 1, inputs, 1, outputs)


def relu_behind_dequantize(library: NnapiLibrary, size: int = 2, scale: float = 0.5) -> Any:
    """``RELU(DEQUANTIZE(codes))``, the operations in the other order."""
    model = library.create("Model_create")
    operand(library, model, CODES, size, scale)
    operand(library, model, FLOATS, size)
    operand(library, model, FLOATS, size)
    operation(library, model, OperationType.RELU, 1, 2)
    operation(library, model, OperationType.DEQUANTIZE, 0, 1)
    inputs, outputs = (library.numbers("uint32_t", [index]) for index in (0, 2))
    library.call("Model_identifyInputsAndOutputs", model, 1, inputs, 1, outputs)
    library.call("Model_finish", model)
    return model


def compiled(library: NnapiLibrary, model: Any, index: int = 0) -> Any:
    """A finished compilation for one device."""
    compilation = library.create("Compilation_createForDevices", model, devices(library, index), 1)
    library.call("Compilation_finish", compilation)
    return compilation


def results_of_3_and_4(library: NnapiLibrary, compilation: Any) -> list[float]:
    """Return the results of the codes 3 and 4."""
    execution = library.create("Execution_create", compilation)
    codes, results = library.ffi.new("uint8_t[]", [3, 4]), library.ffi.new("float[2]")
    library.call("Execution_setInput", execution, 0, library.ffi.NULL, codes, 2)
    library.call("Execution_setOutput", execution, 0, library.ffi.NULL, results, 8)
    library.call("Execution_compute", execution)
    return list(results)


def test_operations_are_sorted(library: NnapiLibrary) -> None:
    """Codes 3 and 4 of scale 0.5 are 1.5 and 2; the operation that was added last runs first."""
    compilation = compiled(library, relu_behind_dequantize(library))
    assert results_of_3_and_4(library, compilation) == [1.5, 2.0]


@pytest.mark.parametrize(
    ("indexes", "supported"), [((0,), [True, True]), ((1,), [False, True]), ((1, 0), [True, True])]
)
def test_supported_operations_are_in_the_order_of_the_client(
    library: NnapiLibrary, indexes: Sequence[int], supported: list[bool]
) -> None:
    """The device for codes computes DEQUANTIZE, which was added second; several devices support what any does."""
    answers = library.ffi.new("bool[2]")
    model = relu_behind_dequantize(library)
    asked = (model, devices(library, *indexes), len(indexes), answers)
    library.call("Model_getSupportedOperationsForDevices", *asked)
    assert list(answers) == supported


def test_a_model_goes_to_a_device_that_has_all_of_it(library: NnapiLibrary) -> None:
    """The device for codes lacks RELU: alone it is refused, behind it the other one is taken."""
    with pytest.raises(HalError, match="Compilation_finish returns BAD_DATA"):
        compiled(library, relu_behind_dequantize(library), 1)
    compilation = library.create(
        "Compilation_createForDevices", relu_behind_dequantize(library), devices(library, 1, 0), 2
    )
    library.call("Compilation_finish", compilation)
    twice = library.result(
        "Compilation_createForDevices",
        relu_behind_dequantize(library),
        devices(library, 0, 0),
        2,
        library.ffi.new("ANeuralNetworksCompilation**"),
    )
    assert twice == ResultCode.BAD_DATA


def test_a_circle_is_refused(library: NnapiLibrary) -> None:
    """Two operations that read what the other writes; after that the model can be neither used nor changed."""
    model = library.create("Model_create")
    for _ in range(3):
        operand(library, model, FLOATS, 2)
    operation(library, model, OperationType.RELU, 1, 2)
    operation(library, model, OperationType.RELU, 2, 1)
    inputs, outputs = (library.numbers("uint32_t", [index]) for index in (0, 2))
    library.call("Model_identifyInputsAndOutputs", model, 1, inputs, 1, outputs)
    assert library.result("Model_finish", model) == ResultCode.BAD_DATA
    assert library.result("Model_finish", model) == ResultCode.BAD_STATE


def test_an_output_that_is_too_small_has_its_shape(library: NnapiLibrary) -> None:
    """Of a model for vectors of any size: three codes do not fit two floats, and both getters say so and how many."""
    ffi = library.ffi
    execution = library.create("Execution_create", compiled(library, relu_behind_dequantize(library, 0)))
    dimensions = library.numbers("uint32_t", [3])
    three = library.structure("OperandType", CODES, 1, dimensions, 0.5, 0)
    codes, results, rank = ffi.new("uint8_t[3]"), ffi.new("float[2]"), ffi.new("uint32_t*")
    assert library.result("Execution_setInput", execution, 0, ffi.NULL, codes, 3) == ResultCode.BAD_DATA
    library.call("Execution_setInput", execution, 0, three, codes, 3)
    assert library.result("Execution_setInput", execution, 0, three, codes, 3) == ResultCode.BAD_STATE
    library.call("Execution_setOutput", execution, 0, ffi.NULL, results, 8)
    assert library.result("Execution_getOutputOperandRank", execution, 0, rank) == ResultCode.BAD_STATE
    assert library.result("Execution_compute", execution) == ResultCode.OUTPUT_INSUFFICIENT_SIZE
    found = ffi.new("uint32_t[1]")
    assert library.result("Execution_getOutputOperandRank", execution, 0, rank) == ResultCode.OUTPUT_INSUFFICIENT_SIZE
    assert library.result("Execution_getOutputOperandDimensions", execution, 0, found) == (
        ResultCode.OUTPUT_INSUFFICIENT_SIZE
    )
    assert (rank[0], found[0]) == (1, 3)


def test_padding_is_allowed_when_it_is_enabled(library: NnapiLibrary) -> None:
    """More bytes than needed are refused first; less of them always; enabled too late is no more."""
    ffi = library.ffi
    compilation = compiled(library, relu_behind_dequantize(library))
    codes, results = ffi.new("uint8_t[64]", [3, 4]), ffi.new("float[16]")
    for enabled, size, code in (
        (False, 64, ResultCode.BAD_DATA),
        (True, 1, ResultCode.BAD_DATA),
        (True, 64, ResultCode.NO_ERROR),
    ):
        execution = library.create("Execution_create", compilation)
        library.call("Execution_enableInputAndOutputPadding", execution, enabled)
        assert library.result("Execution_setInput", execution, 0, ffi.NULL, codes, size) == code
    assert library.result("Execution_enableInputAndOutputPadding", execution, False) == ResultCode.BAD_STATE
    library.call("Execution_setOutput", execution, 0, ffi.NULL, results, 64)
    library.call("Execution_compute", execution)
    assert list(results)[:2] == [1.5, 2.0]


def test_a_launched_execution_has_no_fence(library: NnapiLibrary) -> None:
    """Its event is waited for as often as wanted, and gives no descriptor."""
    ffi = library.ffi
    execution = library.create("Execution_create", compiled(library, relu_behind_dequantize(library)))
    codes, results, fence = ffi.new("uint8_t[]", [3, 4]), ffi.new("float[2]"), ffi.new("int*", 7)
    library.call("Execution_setInput", execution, 0, ffi.NULL, codes, 2)
    library.call("Execution_setOutput", execution, 0, ffi.NULL, results, 8)
    event = library.create("Execution_startCompute", execution, kind="Event")
    assert [library.result("Event_wait", event) for _ in range(2)] == [ResultCode.NO_ERROR] * 2
    assert library.result("Event_getSyncFenceFd", event, fence) == ResultCode.BAD_DATA
    assert fence[0] == -1
    assert list(results) == [1.5, 2.0]


def test_compilations_are_kept_in_a_folder(library: NnapiLibrary, tmp_path: Path) -> None:
    """Files have the driver's token in their names: SHA-256 of the client's, name, version, preference and priority.

    With the same settings there are no further files, and what was kept is used: a model of another scale, which a
    client must not give the same token, has results of the first one's. With another priority there are, and 3 and 4
    of scale 1 are 3 and 4.
    """
    halves, ones = relu_behind_dequantize(library), relu_behind_dequantize(library, scale=1.0)
    device = devices(library, 0)
    expected: set[str] = set()
    version = library.text("Device_getVersion", device[0]).encode()
    for model, priority, results in ((halves, 100, [1.5, 2]), (ones, 100, [1.5, 2]), (ones, 110, [3, 4])):
        compilation = library.create("Compilation_createForDevices", model, device, 1)
        library.call("Compilation_setPriority", compilation, priority)
        folder = library.ffi.new("char[]", os.fsencode(tmp_path))
        library.call("Compilation_setCaching", compilation, folder, library.ffi.from_buffer("uint8_t[]", TOKEN))
        library.call("Compilation_finish", compilation)
        hashed = TOKEN + b"nnvet-reference" + version + struct.pack("=ii", 1, priority)
        token = hashlib.sha256(hashed).hexdigest()
        expected |= {f"{token}0", f"{token}1"}
        assert {path.name for path in tmp_path.iterdir()} == expected
        assert results_of_3_and_4(library, compilation) == results
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())


def test_a_folder_that_is_not_there_prevents_nothing(library: NnapiLibrary, tmp_path: Path) -> None:
    """Without files the model is compiled without them."""
    compilation = library.create(
        "Compilation_createForDevices", relu_behind_dequantize(library), devices(library, 0), 1
    )
    folder = library.ffi.new("char[]", os.fsencode(tmp_path / "missing"))
    library.call("Compilation_setCaching", compilation, folder, library.ffi.from_buffer("uint8_t[]", TOKEN))
    library.call("Compilation_finish", compilation)
    assert not list(tmp_path.iterdir())


def test_a_process_whose_python_looks_at_capsules_may_load_a_library(tmp_path: Path) -> None:
    """As PyTorch does: the attribute gives the type of capsules a version, which cffi takes for a lock."""
    program = f"""
import datetime
for _ in range(2000):
    datetime.datetime_CAPI.__class__.__name__
    repr(datetime.datetime_CAPI.__doc__)
from pathlib import Path
from nnvet.adapters.nnapi.exported.building import export_drivers
from nnvet.adapters.nnapi.library import NnapiLibrary
export_drivers(["reference"], Path({str(tmp_path / "library.so")!r}))
NnapiLibrary({str(tmp_path / "library.so")!r}, is_support_library=False).create("Model_create")
print("created")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if "ExportError" in ended.stderr:
        pytest.skip("the library cannot be built here")
    assert (ended.returncode, ended.stdout) == (0, "created\n"), ended.stderr
