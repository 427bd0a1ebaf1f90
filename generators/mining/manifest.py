"""The manifest beside mined specs: for each spec its models, its frequency, and the distribution of its values.

:mod:`~nnvet.generators.mining.spec_folder` writes it, and runs of the specs read it for their reports.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

FILE: Final = "mined.json"


class Spread(msgspec.Struct, frozen=True):
    """Range, mean and standard deviation of values: of numbers for floats, and of codes for all other types."""

    low: float
    high: float
    mean: float
    deviation: float


class MinedTensor(msgspec.Struct, frozen=True):
    """An input or constant of many elements, whose values are drawn from this distribution."""

    operand: int
    type: str
    shape: tuple[int, ...]
    constant: bool
    spread: Spread


class MinedFragment(msgspec.Struct, frozen=True):
    """A spec: its file is ``name`` and the suffix of specs. ``occurrences`` are numbers by model."""

    name: str
    operations: tuple[str, ...]
    occurrences: dict[str, int]
    drawn: tuple[MinedTensor, ...] = ()

    @property
    def count(self) -> int:
        """Number of occurrences in all models."""
        return sum(self.occurrences.values())


class LeftOut(msgspec.Struct, frozen=True):
    """A model or fragment from which no spec could be made, and the reason."""

    name: str
    reason: str


class Manifest(msgspec.Struct, frozen=True):
    """The manifest of a folder. ``models`` are numbers of operations by the model's name."""

    nnvet: str
    models: dict[str, int]
    fragments: tuple[MinedFragment, ...]
    left_out: tuple[LeftOut, ...] = ()

    def named(self, name: str) -> MinedFragment | None:
        """Return the fragment of a spec's name."""
        return next((fragment for fragment in self.fragments if fragment.name == name), None)


class ManifestError(ValueError):
    """A manifest exists but cannot be read; the text names the file and the reason."""


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the file.

    :raises OSError: it cannot be written.
    """
    content = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    (folder / FILE).write_bytes(content + b"\n")


@lru_cache(16)
def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder; None if the folder has none.

    :raises ManifestError: the manifest cannot be read.
    """
    file = folder / FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=Manifest)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ManifestError(f"{file} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise ManifestError(f"{file}: {error}; mine the models again") from error
