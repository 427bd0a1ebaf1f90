"""Builds the native test library: tables of the contract as C++, then the compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from nnvet.adapters.nnapi import declarations as c_api
from nnvet.adapters.nnapi.header import make_header
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import ANY_TYPE, Formal, OperationDeclaration, Phase

SOURCES = Path(__file__).parent
COMPILER = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
LIBRARY = "libnnvet_native.so"
UNBOUNDED = 2**31 - 1
INTRODUCED = {
    1: (
        *("Memory_createFromFd", "Memory_free", "Model_create", "Model_free", "Model_finish", "Model_addOperand"),
        *("Model_setOperandValue", "Model_setOperandValueFromMemory", "Model_addOperation"),
        *("Model_identifyInputsAndOutputs", "Compilation_create", "Compilation_free", "Compilation_setPreference"),
        *("Compilation_finish", "Execution_create", "Execution_free", "Execution_setInput", "Execution_setOutput"),
        *("Execution_setInputFromMemory", "Execution_setOutputFromMemory", "Execution_startCompute"),
        *("Event_wait", "Event_free"),
    ),
    2: ("Model_relaxComputationFloat32toFloat16",),
    3: (
        *("_getDeviceCount", "_getDevice", "Device_getName", "Device_getType", "Device_getVersion"),
        *("Device_getFeatureLevel", "Memory_createFromAHardwareBuffer", "Model_setOperandSymmPerChannelQuantParams"),
        *("Model_getSupportedOperationsForDevices", "Compilation_createForDevices", "Compilation_setCaching"),
        *("Burst_create", "Burst_free", "Execution_burstCompute", "Execution_compute", "Execution_getDuration"),
        *("Execution_setMeasureTiming", "Execution_getOutputOperandDimensions", "Execution_getOutputOperandRank"),
    ),
    4: (
        *("_getDefaultLoopTimeout", "_getMaximumLoopTimeout", "Device_wait", "Memory_createFromDesc", "Memory_copy"),
        *("MemoryDesc_create", "MemoryDesc_free", "MemoryDesc_addInputRole", "MemoryDesc_addOutputRole"),
        *("MemoryDesc_setDimensions", "MemoryDesc_finish", "Model_setOperandValueFromModel", "Compilation_setPriority"),
        *("Compilation_setTimeout", "Execution_startComputeWithDependencies", "Execution_setTimeout"),
        *("Execution_setLoopTimeout", "Event_createFromSyncFenceFd", "Event_getSyncFenceFd"),
    ),
}
"""Functions by the level that brought them; source: docs/contract/c-api.md 1.2, where 27 to 30 are levels 1 to 4."""
SCALES = ("zero", "positive", "not_negative", "any")
"""Rules of scales, by the number that the library knows them by."""


def built_in(folder: Path) -> Path:
    """Build the library in a folder, which is returned; the test is skipped where there is no compiler."""
    if COMPILER is None:
        pytest.skip("there is no compiler of C++ to build the library with")
    build(folder)
    return folder


def build(folder: Path) -> Path:
    """The library, built in ``folder``; needs :data:`COMPILER`."""
    (folder / "NeuralNetworks.h").write_text(make_header(), encoding="utf-8")
    (folder / "tables.inc").write_text(tables(), encoding="utf-8")
    fields = " ".join(f"FIELD({name})" for name in c_api.shared_functions())
    (folder / "fields.inc").write_text(f"#define SHARED_FIELDS {fields}\n", encoding="utf-8")
    options = ["-std=c++17", "-O1", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Werror", f"-I{folder}"]
    # One translation unit, so that the headers of C++ are read once.
    unit = folder / "library.cpp"
    unit.write_text("".join(f'#include "{path}"\n' for path in sorted(SOURCES.glob("*.cpp"))), encoding="utf-8")
    subprocess.run([str(COMPILER), *options, "-c", "-o", str(folder / "library.o"), str(unit)], check=True)
    return _link(folder, LIBRARY)


def build_of_level(folder: Path, level: int) -> Path:
    """Return the library of a level from 1 to 4 in ``folder``, without the functions of later levels."""
    functions = " ".join(f"{c_api.names()[name]};" for first in range(1, level + 1) for name in INTRODUCED[first])
    script = folder / f"level{level}.map"
    script.write_text(f"{{ global: {functions} local: *; }};\n", encoding="utf-8")
    return _link(folder, f"libnnvet_level{level}.so", f"-Wl,--version-script={script}")


def build_with(folder: Path, name: str, source: str) -> Path:
    """Link what has been built in ``folder`` with a few lines of C++: a constructor, a destructor, a symbol."""
    (folder / f"{name}.c").write_text(source, encoding="utf-8")
    compiled = folder / f"{name}.o"
    compiler = [str(COMPILER), "-x", "c++", "-g", "-fPIC", "-c"]
    subprocess.run([*compiler, "-o", str(compiled), str(folder / f"{name}.c")], check=True)
    return _link(folder, f"libnnvet_{name}.so", str(compiled))


def build_alone(folder: Path, name: str, source: str) -> Path:
    """A library of a few lines of C alone."""
    (folder / f"{name}.c").write_text(source, encoding="utf-8")
    library = folder / f"lib{name}.so"
    compiler = [os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang") or "cc", "-shared", "-fPIC", "-g"]
    subprocess.run([*compiler, "-o", str(library), str(folder / f"{name}.c")], check=True)
    return library


def _link(folder: Path, name: str, *options: str) -> Path:
    linked = [str(COMPILER), "-shared", "-pthread", *options, "-o", str(folder / name), str(folder / "library.o")]
    subprocess.run(linked, check=True)
    return folder / name


def tables() -> str:
    """Types and operations of the contract as numbers, which the library's validation reads; see ``model.cpp``."""
    types = [_type(code) for code in OPERAND_TYPES]
    operations = [_operation(declaration) for declaration in declarations().values()]
    arrays = {"kTypeNumbers": types, "kOperationNumbers": operations}
    return "".join(f"static const int {name}[] = {_text(numbers)};\n" for name, numbers in arrays.items())


def _type(code: int) -> list[int]:
    info = OPERAND_TYPES[code]
    return [code, info.is_tensor, info.size, SCALES.index(info.scale), *info.zero_point]


def _operation(declaration: OperationDeclaration) -> list[int]:
    variables = sorted({name for row in declaration.rows for name in row.types})
    signatures = [
        [
            *_counted(_formal(formal, variables) for formal in signature.inputs),
            *_counted([length] for length in signature.lengths),
        ]
        for signature in declaration.signatures
    ]
    rows = [_counted([int(row.types.get(name, -1))] for name in variables) for row in declaration.rows]
    counts = declaration.output_counts or (len(declaration.outputs),)
    return [
        int(declaration.type),
        *_counted(signatures),
        *_counted(_formal(formal, variables) for formal in declaration.outputs),
        *_counted([count] for count in counts),
        *_counted(rows),
    ]


def _formal(formal: Formal, variables: list[str]) -> list[int]:
    if not isinstance(formal.type, str):
        kind = int(formal.type)
    else:
        kind = -1 if formal.type == ANY_TYPE else -2 - variables.index(formal.type)
    low, high = (formal.rank or (0, None)) if formal.rank_phase is Phase.MODEL else (0, None)
    return [kind, low, UNBOUNDED if high is None else high, formal.variadic, formal.minimum]


def _counted(items: Iterable[list[int]]) -> list[int]:
    """Return the number of items, then all of them."""
    listed = list(items)
    return [len(listed), *(number for item in listed for number in item)]


def _text(items: list[list[int]]) -> str:
    return "{" + ", ".join(str(int(number)) for number in _counted(items)) + "}"
