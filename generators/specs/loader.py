"""Search for spec files and their execution, with two caches that save most of the time.

The first cache holds the names of the cases of each file, so that a case is found without loading all files. An entry
is valid as long as the file and the language are unchanged. If it is unreadable, damaged or outdated, the file is
loaded. The second cache holds compiled code, as Python keeps that of modules, since compiling takes longer than
everything else together.

Source: docs/contract/spec-format.md 2 and 10.
"""

from __future__ import annotations

import marshal
import os
import random
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, Final

import numpy as np

from nnvet.formats.errors import SpecError
from nnvet.generators.specs import operand_type, operands, variations
from nnvet.generators.specs.case import SpecCase, expand
from nnvet.generators.specs.example import Example
from nnvet.generators.specs.model import SpecModel, SubgraphReference
from nnvet.generators.specs.operand_type import Names, Registry, Type, describe
from nnvet.generators.specs.operands import Configuration
from nnvet.graphs.model import VERSIONS

_CHECKED_HASH: Final = (0b11).to_bytes(4, "little")
"""Flags of a compiled file that is valid as long as its source has the same hash (PEP 552)."""


def program_of(source: bytes, path: Path) -> CodeType:
    """Return the code of a file, from its folder's ``__pycache__`` if that is valid, else compile and keep it.

    :raises SyntaxError, ValueError: the source is no Python program.
    """
    head = MAGIC_NUMBER + _CHECKED_HASH + source_hash(source)
    kept = Path(cache_from_source(str(path)))
    with suppress(OSError, ValueError, EOFError, TypeError):
        content = kept.read_bytes()
        if content.startswith(head):
            program = marshal.loads(content[len(head) :])  # noqa: S302 - as Python itself trusts these files
            if isinstance(program, CodeType):
                return program
    program = compile(source, str(path), "exec", dont_inherit=True)
    if not sys.dont_write_bytecode:
        keep(kept, head + marshal.dumps(program))
    return program


def keep(file: Path, content: bytes) -> None:
    """Write a file as a whole or, in a folder that cannot be written, not at all."""
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        unfinished = file.with_name(f"{file.name}.{os.getpid()}")
        unfinished.write_bytes(content)
        unfinished.replace(file)


_SUFFIX: Final = ".names"
_HARMLESS: Final = re.compile(rb"^import (?:math|random|itertools|numpy(?: as \w+)?)[ \t]*$", re.MULTILINE)
_BEYOND: Final = re.compile(rb"\b(?:import|__import__|open|exec|eval|load\w*|(?:from|mem|gen)(?:file|map|fromtxt))\b")
"""Words in specs that may read other files, so that their contents can change although the spec does not."""


def known_names(path: Path) -> tuple[str, ...] | None:
    """Return names of the cases of a file, in its order, if they are known for its present content."""
    with suppress(OSError, UnicodeDecodeError):
        digest, _, text = _place(path).read_bytes().partition(b"\n")
        if digest == _digest(path.read_bytes(), path, text):
            return tuple(text.decode(errors="surrogatepass").split("\n")) if text else ()
    return None


def keep_names(path: Path, source: bytes, names: Sequence[str]) -> None:
    """Keep the names of the cases of the file at ``path``, whose content is ``source``, if they can be written."""
    if sys.dont_write_bytecode or any("\n" in name for name in names):
        return
    if _BEYOND.search(_HARMLESS.sub(b"", source)):
        return
    text = "\n".join(names).encode(errors="surrogatepass")
    content = _digest(source, path, text) + b"\n" + text
    place = _place(path)
    with suppress(OSError):
        if place.read_bytes() == content:
            return
    keep(place, content)


def _place(path: Path) -> Path:
    return Path(cache_from_source(str(path))).with_suffix(_SUFFIX)


def _digest(source: bytes, path: Path, text: bytes) -> bytes:
    """Return a digest of everything that determines the names, and of the names themselves."""
    parts = (_language(), path.name.encode(), source, text)
    return sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest().encode()


@cache
def _language() -> bytes:
    """Return the modules that read specs and name their cases."""
    modules = sorted(Path(__file__).parent.glob("*.py"))
    return b"".join(sha256(module.read_bytes()).digest() for module in modules)


SPEC_SUFFIX: Final = ".mod.py"

LANGUAGE: Final[dict[str, type]] = {
    "Model": SpecModel,
    "Operand": operands.SpecOperand,
    "SymmPerChannelQuantParams": operand_type.ChannelScales,
    **{
        cls.__name__: cls
        for cls in (
            variations.ActivationConverter,
            variations.AllInputsAsInternalCoverter,
            variations.AllOutputsAsInternalCoverter,
            variations.AllTensorsAsInputsConverter,
            operands.BoolScalar,
            Configuration,
            variations.DataLayoutConverter,
            variations.DataTypeConverter,
            Example,
            operands.Float16Scalar,
            operands.Float32Scalar,
            operands.Float32Vector,
            operands.IgnoredOutput,
            operands.Input,
            operands.Int32Scalar,
            operands.Int32Vector,
            operands.Internal,
            operands.Output,
            operands.Parameter,
            variations.RelaxedModeConverter,
            SubgraphReference,
        )
    },
}
"""Names of the language that a spec file finds in its scope, in addition to Python's own."""

_STATE: Final[tuple[tuple[type, str, Callable[[], Any]], ...]] = (
    (Registry, "variables", Names),
    (Registry, "tests", Names),
    (Type, "table", dict),
    (SpecModel, "models", list),
    (SpecModel, "default_version", lambda: None),
    (Example, "examples", list),
    (Example, "version_overrides", dict),
    (Configuration, "use_shm_for_weights", bool),
    (Configuration, "hook_mode", bool),
)
"""State that the language keeps in its classes while a file is loaded, with its initial values."""

_LOCK: Final = threading.RLock()
# The lookahead leaves the slash behind a HIDL version unconsumed, so that two adjacent folders both match.
_VERSION: Final = re.compile(r"(?<=/)V\d_\d(?=/)|AIDL_V\d+")


def find_specs(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the spec files of a folder and its subfolders, sorted; for a file, the file itself.

    :raises SpecError: there is no such file or folder.
    """
    place = Path(folder)
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise SpecError(place, 0, "there is no such file or folder")
    return sorted(path for path in place.rglob(f"*{SPEC_SUFFIX}") if path.is_file())


def folder_version(path: str | os.PathLike[str]) -> str | None:
    """Return the version that a spec's absolute path names exactly once, else None."""
    found = _VERSION.findall(Path(path).absolute().as_posix())
    return found[0] if len(found) == 1 and found[0] in VERSIONS else None


def load_spec(path: str | os.PathLike[str]) -> list[SpecCase]:
    """Execute a spec file in a separate scope and return its cases; the file leaves no state in this process.

    :raises SpecError: the file cannot be read, raises, or describes no valid tests; the error has the line.
    """
    path = Path(path)
    try:
        source = path.read_bytes()
    except OSError as error:
        raise SpecError(path, 0, f"cannot read the file: {error.strerror}") from error
    with _LOCK, _fresh_state(), _own_randomness(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SpecModel.default_version = folder_version(path)
        _execute(source, path)
        cases = expand(Example.examples, path)
    keep_names(path, source, [case.name for case in cases])
    return cases


def _execute(source: bytes, path: Path) -> None:
    try:
        program = program_of(source, path)
    except SyntaxError as error:
        raise SpecError(path, error.lineno or 0, f"not a Python program: {error.msg}") from error
    except ValueError as error:
        raise SpecError(path, 0, f"not a Python program: {error}") from error
    try:
        exec(program, dict(LANGUAGE))  # noqa: S102 - a spec is a program
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise SpecError(path, _line(error.__traceback__, program.co_filename), describe(error)) from error


def _line(traceback: TracebackType | None, filename: str) -> int:
    """Return the line of the innermost call that the file itself made; 0 if unknown."""
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


@contextmanager
def _fresh_state() -> Iterator[None]:
    """Reset the state of the language while the block runs, and restore the former state."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in _STATE]
    for owner, name, initial in _STATE:
        setattr(owner, name, initial())
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


@contextmanager
def _own_randomness() -> Iterator[None]:
    """Use fixed seeds for specs while the block runs, and restore the caller's random state and module path."""
    state, path = random.getstate(), list(sys.path)
    numpy_state = np.random.get_state()  # noqa: NPY002 - the generator that specs use
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - the generator that specs use
    try:
        yield
    finally:
        random.setstate(state)
        np.random.set_state(numpy_state)  # noqa: NPY002 - the generator that specs use
        sys.path[:] = path
