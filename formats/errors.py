"""Errors about bad model files and bad benchmark data: one clear sentence, never a traceback."""


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
