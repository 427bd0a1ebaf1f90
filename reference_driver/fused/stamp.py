"""A note on the disk that the machine code is there: to ask numba itself takes a second, at each start of a driver."""

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
_LOCKED: Final = _FOLDER
_SOURCE: Final = _FOLDER / "machine.py"
_CPU: Final = Path("/proc/cpuinfo")
_FACTS_OF_CPU: Final = ("model name", "flags", "Features")
_NAME: Final = "nnvet-machine-code"
_INDEX: Final = "machine.*.nbi"


def checksum() -> int:
    """One number for all files that the machine code is made of."""
    total = 1
    for path in sorted(_FOLDER.glob("*.py")):
        total = crc32(path.read_bytes(), total)
    return total


def is_there() -> bool:
    """Return whether machine code of these files, for this machine, was kept, and has not been removed since."""
    try:
        wanted = _identity()
    except OSError:
        # Files that cannot be read now keep no driver from starting: kernels do the work.
        return False
    for path in _places():
        with suppress(OSError, ValueError):
            identity, folder = path.read_text(encoding="utf-8").split("\n")
            if identity == wanted and any(Path(folder).glob(_INDEX)):
                return True
    return False


def note(folder: str) -> None:
    """Note that it is kept in ``folder``; where nothing can be written, it is looked for at the next start too."""
    for path in _places():
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(f"{_NAME}.{os.getpid()}")
            partial.write_text(f"{_identity()}\n{folder}", encoding="utf-8")
            partial.replace(path)
            return


@contextmanager
def only_maker() -> Iterator[bool]:
    """Yield True if no other process makes it while the block runs; wait for nobody."""
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
        # Here are no locks: it is made more than once, which is harmless.
        yield True
    else:
        yield True
    finally:
        os.close(descriptor)


def _identity() -> str:
    """All that numba looks at before it takes machine code from the disk."""
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
