"""Lines of code of Python drivers at which an exception was raised or a fatal signal arrived: ``driver.py:33 in f``.

:func:`raised` writes an exception in one line, for the service that answers with it; :func:`raised_in` finds and reads
such a line in any text, for the evidence of failures. :func:`place_of_crash` reads the output of a process that died.
Frames of the suite are left out. :mod:`nnvet.diagnostics.native_faults` does the same for native code.
"""

from __future__ import annotations

import re
import sysconfig
import traceback
from pathlib import Path
from typing import Final

_PACKAGES: Final = Path(__file__).parent.parent
"""Folder of nnvet's packages."""
_CALLERS: Final = tuple(f"{_PACKAGES / name}/" for name in ("transport", "driver_kit", "adapters", "diagnostics"))
"""Code that calls drivers: its frames stand between those of the driver and the suite in every traceback."""
_LIBRARIES: Final = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "purelib", "platlib")})
"""Folders of the standard library and of installed packages."""
_RAISED: Final = re.compile(r"raised (?P<kind>[\w.]+)(?:[: ].*?)? \((?P<place>[^()\s]+:\d+ in [^()\s]+)\)", re.DOTALL)
"""Form of a line of :func:`raised`."""
_STACK: Final = re.compile(r"\(most recent call first\):\n(?P<frames>(?:  File .*\n?)+)")
"""Form of a stack that Python's faulthandler prints."""
_FRAME: Final = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<function>\S+)')
"""Form of a line of such a stack."""


def raised(error: BaseException) -> str:
    """Return ``raised ValueError: what is wrong (driver.py:33 in supports)``; without a place outside of a driver."""
    text = " ".join("".join(traceback.format_exception_only(error)).split())
    own = [frame for frame in _frames_of_driver(error) if not frame.filename.startswith(_LIBRARIES)]
    if not own:
        return f"raised {text}"
    return f"raised {text} ({_name_place(own[-1].filename, own[-1].lineno, own[-1].name)})"


def raised_in(text: str) -> str:
    """Return ``ValueError at driver.py:33 in supports`` from a text with a line of :func:`raised`; "" without one."""
    found = _RAISED.search(text)
    return f"{found['kind']} at {found['place']}" if found else ""


def traceback_of(error: BaseException) -> str:
    """Return the traceback in Python's form, from the first frame of the driver on; without one, all of it."""
    described = traceback.TracebackException.from_exception(error)
    frames = _frames_of_driver(error)
    if frames:
        described.stack = traceback.StackSummary.from_list(frames)
    return "".join(described.format()).rstrip()


def place_of_crash(output: str) -> str:
    """Return ``driver.py:33 in compute`` from the text of faulthandler about a fatal signal; "" without such a text.

    The first frame is where the interpreter was; libraries below the driver are passed over if the driver called them.
    """
    stacks = _STACK.findall(output)
    frames = [frame.groupdict() for frame in _FRAME.finditer(stacks[-1])] if stacks else []
    if not frames:
        return ""
    own = [frame for frame in frames if not frame["file"].startswith((*_CALLERS, *_LIBRARIES))]
    frame = (own or frames)[0]
    return _name_place(frame["file"], frame["line"], frame["function"])


def places_of_threads(output: str) -> list[str]:
    """Return ``driver.py:33 in compute`` for each thread that was in a driver; each place once."""
    places = []
    for stack in _STACK.findall(output):
        frames = [frame.groupdict() for frame in _FRAME.finditer(stack)]
        own = [frame for frame in frames if not frame["file"].startswith((*_CALLERS, *_LIBRARIES, "<"))]
        places += [_name_place(frame["file"], frame["line"], frame["function"]) for frame in own[:1]]
    return list(dict.fromkeys(places))


def _frames_of_driver(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the frames of an exception from the first one of the driver on."""
    frames = list(traceback.extract_tb(error.__traceback__))
    while frames and frames[0].filename.startswith((*_CALLERS, *_LIBRARIES)):
        del frames[0]
    return frames


def _name_place(file: str, line: object, function: str) -> str:
    """Return a place without its folder: ``driver.py:33 in compute``."""
    return f"{Path(file).name}:{line} in {function}"
