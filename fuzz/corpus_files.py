"""The seed inputs and dictionaries that come with the project, and the program that makes them.

``python -m nnvet.fuzz.corpus_files`` makes the corpora anew: it keeps the fewest seeds that together reach the same
code. The files are in ``fuzz/corpora`` and are never edited by hand.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from nnvet.fuzz.findings import ChildConfig
from nnvet.fuzz.harness import HARNESSES, Harness

FOLDER: Final = Path(__file__).parent / "corpora"
REGRESSIONS: Final = Path(__file__).parent / "regressions"
"""Inputs that once found something, by harness: ``HARNESS/NAME``."""
_MOST_BYTES: Final = 700_000
"""Largest size of the corpus of one harness."""
_KEPT_BYTES: Final = 100_000
"""Seeds of at most this size together are all kept."""
_HIGHEST_PRINTABLE: Final = 0x7E
"""The tilde; bytes above it are escaped in dictionaries."""


def seeds_folder(harness: Harness) -> Path:
    """Return the folder of a harness's inputs that come with the project."""
    return FOLDER / harness.name


def dictionary_file(harness: Harness, folder: Path) -> Path | None:
    """Write the harness's words into a folder as a dictionary of libFuzzer, and return its path; None: no words."""
    words = sorted(set(harness.words()))
    if not words:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{harness.name}.dict"
    file.write_text("".join(f'"{_quote(word)}"\n' for word in words if word), encoding="ascii")
    return file


def _quote(word: bytes) -> str:
    plain = {byte: chr(byte) for byte in range(ord(" "), _HIGHEST_PRINTABLE + 1)} | {34: '\\"', 92: "\\\\"}
    return "".join(plain.get(byte, f"\\x{byte:02x}") for byte in word)


def write_corpus(harness: Harness) -> int:
    """Make the corpus of a harness anew from its seeds, all of them if they are small; return the number of inputs.

    :raises subprocess.CalledProcessError: atheris is missing, or the process that chooses fails.
    """
    target = seeds_folder(harness)
    target.mkdir(parents=True, exist_ok=True)
    seeds = {seed.data: seed.name for seed in harness.seeds()}
    if sum(map(len, seeds)) > _KEPT_BYTES:
        seeds = {data: seeds[data] for data in _choose_inputs(harness, seeds)}
    for file in target.iterdir():
        file.unlink()
    size = 0
    for data, name in sorted(seeds.items(), key=lambda seed: (len(seed[0]), seed[1])):
        size += len(data)
        if size <= _MOST_BYTES:
            (target / name).write_bytes(data)
    return len(list(target.iterdir()))


def _choose_inputs(harness: Harness, seeds: Mapping[bytes, str]) -> list[bytes]:
    """Return the inputs that together reach as much of the bundled driver as all of them."""
    with tempfile.TemporaryDirectory() as place:
        everything, kept = Path(place, "seeds"), Path(place, "kept")
        for folder in (everything, kept):
            folder.mkdir()
        for data, name in seeds.items():
            (everything / name).write_bytes(data)
        config = ChildConfig(
            harness.name, "reference", True, 60.0, 4096, str(Path(place, "findings")), harness.instrumented
        )
        command = [sys.executable, "-P", "-m", "nnvet.fuzz.child", msgspec.json.encode(config).decode()]
        options = ["-merge=1", f"-max_len={harness.max_len}", "-rss_limit_mb=0", "-timeout=60"]
        subprocess.run([*command, *options, str(kept), str(everything)], check=True, capture_output=True)
        return [file.read_bytes() for file in kept.iterdir()]


def main(arguments: list[str]) -> None:
    """Make the corpora of the harnesses that are named, or of all."""
    for name in arguments or HARNESSES:
        sys.stdout.write(f"{name}: {write_corpus(HARNESSES[name])} inputs\n")


if __name__ == "__main__":
    main(sys.argv[1:])
