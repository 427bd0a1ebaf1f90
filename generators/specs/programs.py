"""The code of spec files, kept as Python keeps the code of modules: compiling takes longer than all else together."""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path
from types import CodeType
from typing import Final

_CHECKED_HASH: Final = (0b11).to_bytes(4, "little")
"""Flags of a file that is good for as long as its source has the same hash (PEP 552)."""


def program_of(source: bytes, path: Path) -> CodeType:
    """The code of a file, from its folder's ``__pycache__`` if it is there and of this source, else compiled and kept.

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
