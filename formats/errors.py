"""Errors about bad model files, specs and benchmark data; commands show their text in a sentence, without a traceback.

Readers of files in ``formats``, ``generators`` and ``models`` raise them.
"""

from pathlib import Path


class ModelFileError(ValueError):
    """A model file cannot be read or expressed as a HAL model; the text says what, where and what to do."""


class DataError(ValueError):
    """A model list, data file or picture is missing or wrong; the text names the file and the rule."""


class MissingExtraError(RuntimeError):
    """A package of an optional extra is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        """``package`` is needed for ``purpose`` and comes with ``nnvet[extra]``."""
        super().__init__(f"{purpose} needs the package {package}: install it with pip install 'nnvet[{extra}]'")
        self.extra = extra


class SpecError(Exception):
    """A spec file cannot be used; ``line`` is the wrong line, or 0 if no single line is wrong."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        """Keep the parts; the text shows all three."""
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        """Return path, line and message, as compilers write them."""
        return f"{self.path}:{self.line}: {self.message}"
