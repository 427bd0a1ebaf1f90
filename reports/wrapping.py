"""Sentences on a terminal: lines are wrapped between words.

Without a terminal, lines are not wrapped, so that they can be searched.
"""

from __future__ import annotations

import textwrap
from functools import partial
from typing import Final

from rich.console import Console
from rich.text import Text

_HANGING: Final = 2
"""Columns by which further lines of a sentence are indented."""
_NARROWEST: Final = 20
_WRAPPER: Final = partial(
    textwrap.TextWrapper,
    break_long_words=False,
    break_on_hyphens=False,
    expand_tabs=False,
    replace_whitespace=False,
)


def print_words(console: Console, text: Text) -> None:
    """Print a line; on a terminal it is wrapped between words and keeps its indentation.

    Text to copy, such as a command, is printed with ``soft_wrap`` instead: a terminal then copies it as one line.
    """
    if not console.is_terminal or text.cell_len <= console.width:
        console.print(text, soft_wrap=True)
        return
    indent = len(text.plain) - len(text.plain.lstrip())
    width = max(console.width - indent - _HANGING, _NARROWEST)
    begin = indent
    for line in _WRAPPER(width=width).wrap(text.plain[indent:]):
        place = text.plain.index(line, begin)
        lead = " " * (indent if begin == indent else indent + _HANGING)
        begin = place + len(line)
        console.print(Text.assemble(lead, text[place:begin]), soft_wrap=True)
