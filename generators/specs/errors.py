"""The one error of spec files."""

import traceback
from pathlib import Path
from typing import Final

_PACKAGES: Final = Path(__file__).parent.parent.parent


class SpecError(Exception):
    """A spec file that cannot be used: where (``line`` 0 where no line is to blame) and why."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        """Keep the parts; the text shows all three."""
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        """Path, line and message, as compilers write them."""
        return f"{self.path}:{self.line}: {self.message}"


def describe(error: BaseException) -> str:
    """Return an exception in words, with its class unless the language itself has raised it in words."""
    places = traceback.extract_tb(error.__traceback__)
    is_ours = bool(places) and places[-1].filename.startswith(f"{_PACKAGES}/")
    says_enough = is_ours and str(error) and isinstance(error, (ValueError, TypeError))
    return str(error) if says_enough else f"{type(error).__name__}: {error}".strip(": ")
