"""Generated parts of pages, which begin with ``<!-- generated: NAME -->``."""

from __future__ import annotations

import re
from typing import Final

_PART: Final = r"(?<=<!-- generated: {} -->\n).*?(?=<!-- end of generated part -->)"


def with_part(page: str, name: str, text: str) -> str:
    """A page with another text in one of its generated parts."""
    return re.sub(_PART.format(re.escape(name)), lambda _: f"\n{text}\n\n", page, count=1, flags=re.DOTALL)
