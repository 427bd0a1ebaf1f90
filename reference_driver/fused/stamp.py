"""Stamp file that records that numba's machine code for the fused kernels is on the disk.

A driver needs to know at its start whether the code has to be compiled. Importing numba to find out takes a second, so
the compilation leaves a stamp: the identity of sources, numba and CPU, and the folder of the code.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Final
from zlib import crc32

_FOLDER: Final = Path(__file__).parent
"""Folder of the modules that are compiled to machine code."""
_LOCKED: Final = _FOLDER
"""Folder whose lock keeps two processes from compiling at once."""
_SOURCE: Final = _FOLDER / "machine.py"
"""Module whose compiled form numba caches."""
_CPU: Final = Path("/proc/cpuinfo")
"""Linux's description of the processor."""
_FACTS_OF_CPU: Final = ("model name", "flags", "Features")
"""Lines of it that decide which machine code fits: "Features" is ARM's name of "flags"."""
_NAME: Final = "nnvet-machine-code"
"""Name of the file that says for which sources and processor the cached machine code is."""
_INDEX: Final = "machine.*.nbi"
"""Pattern of the index files that numba writes beside its cached machine code."""


def checksum() -> int:
    """Return a checksum of all files that the machine code is compiled from."""
    total = 1
    for path in sorted(_FOLDER.glob("*.py")):
        total = crc32(path.read_bytes(), total)
    return total


def is_compiled() -> bool:
    """Return True if the disk has machine code of these files for this machine."""
    try:
        wanted = _identity()
    except OSError:
        # A driver starts without machine code, too: the NumPy kernels do the work.
        return False
    for path in _places():
        with suppress(OSError, ValueError):
            identity, folder = path.read_text(encoding="utf-8").split("\n")
            if identity == wanted and any(Path(folder).glob(_INDEX)):
                return True
    return False


def record(folder: str) -> None:
    """Record that the code is in ``folder``. If no stamp can be written, the next start has to ask numba again."""
    for path in _places():
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            # A rename is atomic, so that no other process reads half a stamp.
            partial = path.with_name(f"{_NAME}.{os.getpid()}")
            partial.write_text(f"{_identity()}\n{folder}", encoding="utf-8")
            partial.replace(path)
            return


@contextmanager
def lock_compilation() -> Iterator[bool]:
    """Yield True if no other process compiles the code during the block; do not wait if one does."""
    try:
        descriptor = os.open(_LOCKED, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    except OSError:
        # The file system has no locks. Several processes may compile the code, which is harmless.
        yield True
    else:
        yield True
    finally:
        os.close(descriptor)


def _identity() -> str:
    """Return a hash of all facts that numba compares before it loads machine code from the disk."""
    state = _SOURCE.stat()
    cpu = ""
    with suppress(OSError):
        first, _, _ = _CPU.read_text(encoding="utf-8", errors="replace").partition("\n\n")
        cpu = "\n".join(line for line in first.splitlines() if line.startswith(_FACTS_OF_CPU))
    facts = (checksum(), state.st_mtime_ns, state.st_size, version("numba"), python_version(), cpu)
    return sha256(repr(facts).encode()).hexdigest()


def _places() -> Iterator[Path]:
    yield _FOLDER / "__pycache__" / _NAME
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    with suppress(RuntimeError):
        yield Path(cache).expanduser() / "nnvet" / _NAME
