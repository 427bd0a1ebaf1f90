"""The corpus of a harness on the machine of the job: what all workers have found, each input once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from nnvet.fuzz.cluster.task import name_of


@dataclass
class MergedCorpus:
    """The inputs of ``folder`` by their names, each of which is the SHA-256 of its bytes.

    ``version`` grows with each input that is new. ``fresh`` were found from a version that was not the last any more:
    whether they add anything is not known.
    """

    folder: Path
    files: dict[str, Path] = field(default_factory=dict)
    version: int = 0
    fresh: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, folder: Path) -> MergedCorpus:
        """Return the corpus that earlier jobs have left in a folder.

        :raises OSError: it cannot be read.
        """
        return cls(folder, files_by_digest(folder))

    def add(self, inputs: Iterable[bytes], since: int) -> int:
        """Keep inputs that were found from the version ``since`` on; how many are new.

        :raises OSError: they cannot be written.
        """
        own = {name_of(data): data for data in inputs}
        new = own.keys() - self.files.keys()
        if not new:
            return 0
        if since != self.version:
            self.fresh |= new
        self.version += 1
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(new):
            # A job that is killed leaves whole files.
            unfinished = self.folder / f"{name}.new"
            unfinished.write_bytes(own[name])
            self.files[name] = unfinished.replace(self.folder / name)
        return len(new)

    def leave_out(self, redundant: Iterable[str]) -> None:
        """Remove inputs that add nothing to the others."""
        for name in redundant:
            path = self.files.pop(name, None)
            if path is not None:
                path.unlink(missing_ok=True)
            self.fresh.discard(name)


def files_by_digest(folder: Path) -> dict[str, Path]:
    """The files of a folder by the SHA-256 of their bytes; none if there is no such folder.

    :raises OSError: they cannot be read.
    """
    if not folder.is_dir():
        return {}
    return {name_of(path.read_bytes()): path for path in sorted(folder.iterdir()) if path.is_file()}
