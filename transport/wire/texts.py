"""Filters that make texts of drivers safe for logs and terminals: long texts are cut, and control characters escaped.

Every text of a service passes through here when it is read from the wire or from the process's output: names, versions,
messages, rules and names of extensions. So code that shows such a text need not filter it again.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

MAX_TEXT: Final = 4096
"""Most characters of a text; longer texts are cut, and end with a note that says so."""

_KEPT: Final = MAX_TEXT - 32
"""Characters that a cut text keeps; the note fits in the rest."""


def one_line(text: str) -> str:
    """Return the text on one line, with unprintable characters (ESC, NUL, newlines, lone surrogates) escaped."""
    if len(text) <= MAX_TEXT and text.isprintable():
        return text
    shown = _printable(text[:MAX_TEXT])
    return shown if max(len(text), len(shown)) <= MAX_TEXT else f"{shown[:_KEPT]}… (of {len(text)} characters)"


def several_lines(text: str) -> str:
    """Return the text as :func:`one_line` does, but with its lines and tabs and uncut: the reader of a pipe cuts it."""
    return "\n".join("\t".join(map(_printable, line.split("\t"))) for line in text.split("\n"))


def clean_text(value: Any) -> Any:
    """Return a result with :func:`one_line` of each text in it."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, tuple):
        return tuple(map(clean_text, value))
    if isinstance(value, msgspec.Struct):
        fields = {name: clean_text(getattr(value, name)) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    return value


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
