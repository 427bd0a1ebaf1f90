"""Building of the exported shared library with the machine's compiler (:func:`export_drivers`).

The command ``nnvet export-driver`` and tests call it. The library's C code, written by cffi, starts Python in the first
call; Python then implements the functions by :mod:`nnvet.adapters.nnapi.exported.serving`.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final

import cffi

from nnvet.adapters.nnapi import declarations
from nnvet.adapters.nnapi.header import make_header
from nnvet.adapters.selector import SelectorError, create_device

# Python code that runs in the first call: import the library's own module, and implement its functions.
_START: Final = """
import sys
sys.path[:0] = [path for path in {paths!r} if path not in sys.path]
from {module} import ffi, lib
from nnvet.adapters.nnapi.exported.serving import serve
serve(ffi, lib, {selectors!r})
"""
_INITIALIZE: Final = """
#include <dlfcn.h>
#include <stdlib.h>

/* Called by cffi in place of Py_InitializeEx: the interpreter is that of the environment which has the drivers, and
   its extension modules find its symbols, however the library has been loaded. */
__attribute__((visibility("hidden"))) void nnvet_initialize(int installs_signal_handlers) {
    PyConfig config;
    PyStatus status;
    dlopen(PYTHON_LIBRARY, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    PyConfig_InitPythonConfig(&config);
    config.parse_argv = 0;
    config.install_signal_handlers = installs_signal_handlers;
    status = PyConfig_SetBytesString(&config, &config.program_name, PYTHON);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) Py_ExitStatusException(status);
}

/* Until Python 3.11 cffi takes the version of a type for a lock, and aborts where a process that runs Python already,
   PyTorch for example, has given it one. */
__attribute__((constructor)) static void nnvet_loaded(void) {
#if PY_VERSION_HEX < 0x030C0000
    if (Py_IsInitialized()) {
        PyGILState_STATE state = PyGILState_Ensure();
        PyType_Modified(&PyCapsule_Type);
        PyGILState_Release(state);
    }
#endif
}
"""
# The function that returns a support library's structure, whose fields are the functions of the library.
_STRUCTURE: Final = """
static void ignore_diagnostics(void (*compiled)(const void*, const ANeuralNetworksDiagnosticCompilationInfo*),
                               void (*executed)(const void*, const ANeuralNetworksDiagnosticExecutionInfo*),
                               void* context) {{
    (void)compiled, (void)executed, (void)context;
}}
__attribute__((visibility("default"))) NnApiSLDriverImpl* {entry}(void) {{
    static NnApiSLDriverImpl structure = {{
        .SL_ANeuralNetworksDiagnostic_registerCallbacks = ignore_diagnostics,
{fields}
    }};
    structure.implFeatureLevel = ANeuralNetworks_getRuntimeFeatureLevel();
    return structure.implFeatureLevel < ANEURALNETWORKS_FEATURE_LEVEL_5 ? NULL : &structure;
}}
"""


class ExportError(Exception):
    """Raised if the library cannot be built here; the text says why."""


def export_drivers(selectors: Sequence[str], out: Path) -> None:
    """Write a shared library whose devices are the drivers of ``selectors``.

    A process that loads the library needs this Python and this environment.

    :raises ExportError: there is no compiler, no Python to link with, or a driver cannot be made.
    """
    selectors = tuple(_check_selector(selector) for selector in selectors)
    compiler, options = _find_compiler(), _make_options()
    # A process may load several such libraries, so each needs a Python module with a different name.
    module = f"_nnvet_exported_{hashlib.sha256(os.fsencode(out.absolute())).hexdigest()[:16]}"
    with tempfile.TemporaryDirectory() as folder:
        source, built = Path(folder) / "library.c", Path(folder) / "library.so"
        with redirect_stdout(StringIO()):  # cffi prints to standard output what it does
            _declare_library(module, selectors).emit_c_code(str(source))
        _run([*compiler, "-shared", "-fPIC", "-O1", "-pthread", "-w", str(source), "-o", str(built), *options])
        try:
            shutil.copyfile(built, out)
            out.chmod(0o755)
        except OSError as error:
            raise ExportError(f"{out} cannot be written: {error.strerror or error}") from error


def _check_selector(selector: str) -> str:
    """Return the selector with absolute paths, because the library may be used in another folder.

    :raises ExportError: the driver cannot be created here, so it could not be created there either.
    """
    kind, colon, arguments = selector.partition(":")
    if kind == "python" and (place := arguments.rpartition(":"))[0].endswith(".py"):
        selector = f"{kind}{colon}{Path(place[0]).absolute()}:{place[2]}"
    try:
        create_device(selector)
    except SelectorError as error:
        raise ExportError(str(error)) from error
    return selector


def _declare_library(module: str, selectors: Sequence[str]) -> cffi.FFI:
    """Return cffi's description of the library, from which cffi writes the C code."""
    builder = cffi.FFI()
    builder.cdef(declarations.objects())
    builder.embedding_api(f"{declarations.functions()}\n{declarations.functions_of_support_libraries()}")
    fields = "\n".join(f"        .{name} = {name}," for name in declarations.structure_fields())
    prototypes = declarations.functions_of_support_libraries()
    structure = _STRUCTURE.format(entry=declarations.ENTRY_OF_SUPPORT_LIBRARIES, fields=fields)
    builder.set_source(module, f"{make_header()}\n{prototypes}\n{_INITIALIZE}{structure}")
    paths = [str(Path(path).absolute()) for path in sys.path if path]
    builder.embedding_init_code(_START.format(paths=paths, module=module, selectors=list(selectors)))
    return builder


def _find_compiler() -> list[str]:
    """Return the C compiler and its own options.

    :raises ExportError: no compiler is installed.
    """
    named = os.environ.get("CC")
    compiler = shlex.split(named) if named else [next(filter(shutil.which, ("cc", "gcc", "clang")), "")]
    if not compiler or not shutil.which(compiler[0]):
        raise ExportError("there is no C compiler; install one, or name it in CC")
    return compiler


def _make_options() -> list[str]:
    """Return the compiler's options for the headers and the library of this Python.

    :raises ExportError: this Python lacks its headers or its library.
    """
    include = Path(sysconfig.get_path("include"))
    if not (include / "Python.h").is_file():
        raise ExportError(f"there is no {include / 'Python.h'}; install the headers of Python, such as python3-dev")
    folder, name = (sysconfig.get_config_var(variable) or "" for variable in ("LIBDIR", "INSTSONAME"))
    if ".so" not in name or not (Path(folder) / name).is_file():
        raise ExportError(f"{sys.executable} has no shared library of Python; use one built with --enable-shared")
    defined = {"Py_InitializeEx": "nnvet_initialize", "PYTHON": _quote(sys.executable), "PYTHON_LIBRARY": _quote(name)}
    macros = [f"-D{macro}={value}" for macro, value in defined.items()]
    return [*macros, f"-I{include}", f"-L{folder}", f"-l:{name}", f"-Wl,-rpath,{folder}", "-ldl"]


def _quote(text: str) -> str:
    """Return a text as a literal of C."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _run(command: Sequence[str]) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise ExportError(f"the compiler fails:\n{ended.stderr.strip()}")
