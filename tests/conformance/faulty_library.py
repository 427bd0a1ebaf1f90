"""A library of the C API around another one, with a fault that the variable ``NNVET_FAULT`` names.

``FUNCTION:4>0`` returns 0 where the other library returns 4, ``FUNCTION:skip`` returns 0 and does nothing,
``FUNCTION:write:2:7`` writes 7 to where argument 2 points, ``FUNCTION:read:0`` reads what argument 0 points to, be it
null or not.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from nnvet.adapters.nnapi import declarations
from nnvet.adapters.nnapi.header import make_header

VARIABLE = "NNVET_FAULT"
_HELPERS = """
#include "NeuralNetworks.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void* found(const char* name) {
    static void* library;
    if (!library) library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return dlsym(library, name);
}

static const char* fault_of(const char* name) {
    const char* fault = getenv("NNVET_FAULT");
    size_t length = strlen(name);
    return fault && !strncmp(fault, name, length) && fault[length] == ':' ? fault + length + 1 : "";
}

static void read_first(const char* fault, int position, const void* pointer) {
    if (!strncmp(fault, "read:", 5) && atoi(fault + 5) == position) *(volatile const char*)pointer;
}

static void write_last(const char* fault, int position, const void* pointer) {
    if (pointer && !strncmp(fault, "write:", 6) && atoi(fault + 6) == position)
        *(unsigned char*)pointer = (unsigned char)atoi(strrchr(fault, ':') + 1);
}

static int changed(const char* fault, int result) {
    const char* arrow = strchr(fault, '>');
    return arrow && atoi(fault) == result ? atoi(arrow + 1) : result;
}
"""
_PROTOTYPE = re.compile(r"(.+?)\b(ANeuralNetworks\w+)\((.*)\);")


def build_around(library: Path, folder: Path) -> Path:
    """Write the library into a folder."""
    (folder / "NeuralNetworks.h").write_text(make_header(), encoding="utf-8")
    source, built = folder / "faulty.c", folder / "libfaulty.so"
    prototypes = map(_PROTOTYPE.fullmatch, declarations.functions().splitlines())
    functions = "\n".join(_function(*found.groups()) for found in prototypes if found)
    source.write_text(_HELPERS + functions, encoding="utf-8")
    options = ["-shared", "-fPIC", "-w", f'-DLIBRARY="{library}"', f"-I{folder}", "-ldl"]
    subprocess.run([str(shutil.which("cc")), str(source), "-o", str(built), *options], check=True)
    return built


def _function(result: str, name: str, parameters: str) -> str:
    given = [] if parameters == "void" else parameters.split(", ")
    names = [re.split(r"[ *]", parameter)[-1] for parameter in given]
    types = ", ".join(given) or "void"
    short = name.removeprefix("ANeuralNetworks")
    lines = [
        f'{result}(*real)({types}) = found("{name}");',
        f'const char* fault = fault_of("{short}");',
        *_on_pointers("read_first", given, names),
        f'if (!strcmp(fault, "skip")) return{"" if result.strip() == "void" else " 0"};',
        f"{'' if result.strip() == 'void' else f'{result}result = '}real({', '.join(names)});",
        *_on_pointers("write_last", given, names),
        "" if result.strip() == "void" else f"return {'changed(fault, result)' if result == 'int ' else 'result'};",
    ]
    body = "\n    ".join(lines)
    return f"{result}{name}({types}) {{\n    {body}\n}}\n"


def _on_pointers(helper: str, given: list[str], names: list[str]) -> Iterator[str]:
    for position, (parameter, name) in enumerate(zip(given, names, strict=True)):
        if "*" in parameter:
            yield f"{helper}(fault, {position}, {name});"
