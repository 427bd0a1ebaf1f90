"""Names of the cases of spec files, kept beside the files, so that a case is found without loading those that lack it.

What is kept is good for as long as the file and the language have the same content. Whatever cannot be read, is damaged
or of other content counts as not known: the file is loaded then, as if nothing had been kept.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

from nnvet.generators.specs.programs import keep

_SUFFIX: Final = ".names"
_HARMLESS: Final = re.compile(rb"^import (?:math|random|itertools|numpy(?: as \w+)?)[ \t]*$", re.MULTILINE)
_BEYOND: Final = re.compile(rb"\b(?:import|__import__|open|exec|eval|load\w*|(?:from|mem|gen)(?:file|map|fromtxt))\b")
"""Words of specs that may read other files: what they say can change although the spec does not."""


def known_names(path: Path) -> tuple[str, ...] | None:
    """Names of the cases of a file, in its order, if they are known for its present content."""
    with suppress(OSError, UnicodeDecodeError):
        digest, _, text = _place(path).read_bytes().partition(b"\n")
        if digest == _digest(path.read_bytes(), path, text):
            return tuple(text.decode(errors="surrogatepass").split("\n")) if text else ()
    return None


def keep_names(path: Path, source: bytes, names: Sequence[str]) -> None:
    """Keep the names of the cases that ``source``, the content of the file at ``path``, has; if that can be done."""
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
    """Of all that decides on the names, and of the names themselves."""
    parts = (_language(), path.name.encode(), source, text)
    return sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest().encode()


@cache
def _language() -> bytes:
    """The modules that read specs and name their cases."""
    modules = sorted(Path(__file__).parent.glob("*.py"))
    return b"".join(sha256(module.read_bytes()).digest() for module in modules)
