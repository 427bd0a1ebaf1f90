"""Merge of the inputs of several processes, and of what they reach: libFuzzer's merge of corpora.

Its inner part runs in a forked process, which begins at once; what that reaches with each input is read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.fuzz.configuration import ChildConfig
from nnvet.fuzz.forking import Forker, ForkOrder
from nnvet.fuzz.harness import Harness

_ATTEMPTS: Final = 5
"""Each ends with an input that ends the process, which the next one leaves out."""
_HEAD_LINES: Final = 2


class Merged(NamedTuple):
    """Inputs that reach nothing that the others do not, and how many counters all reach together."""

    redundant: tuple[Path, ...]
    coverage: int


def merged(
    forker: Forker, config: ChildConfig, harness: Harness, files: tuple[Sequence[Path], Sequence[Path]], control: Path
) -> Merged | None:
    """Return those of the second ``files`` that add nothing to the first, and to shorter ones among themselves.

    ``control`` is a file that is written on the way. None: the inputs end too many processes, or the forker is stopped.
    """
    first, others = files
    shortest = sorted(others, key=lambda file: (file.stat().st_size, file.name))
    everything = [*first, *shortest]
    lines = [str(len(everything)), str(len(first)), *map(str, everything)]
    control.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    arguments = (
        "-merge_inner=1",
        f"-merge_control_file={control}",
        f"-timeout={max(1, round(config.timeout_s))}",
        f"-rss_limit_mb={config.memory_mib}",
        f"-max_len={harness.max_len}",
        f"-artifact_prefix={control}-",
    )
    for _ in range(_ATTEMPTS):
        for _line in forker.run(ForkOrder(config, arguments)):
            pass
        if forker.code == 0:
            written = control.read_text(encoding="utf-8").splitlines()
            return _judged(written[_HEAD_LINES + len(everything) :], everything, len(first))
    return None


def _judged(lines: Sequence[str], files: Sequence[Path], known: int) -> Merged:
    """Return the lines' judgement of the files, of which the first ``known`` stay."""
    seen: set[int] = set()
    own: dict[int, set[int]] = {}
    coverage: set[int] = set()
    for kind, number, reached in _reached(lines):
        if kind == "COV":
            coverage |= reached
        elif kind == "FT" and number < known:
            seen |= reached
        elif kind == "FT":
            own[number] = reached
    redundant = []
    for number in range(known, len(files)):
        new = own.get(number, set()) - seen
        seen |= new
        if not new:
            redundant.append(files[number])
    return Merged(tuple(redundant), len(coverage))


def _reached(lines: Sequence[str]) -> Iterator[tuple[str, int, set[int]]]:
    """``FT`` or ``COV``, the number of a file, and its features or counters; other lines say that a file begins."""
    for line in lines:
        kind, number, *rest = line.split()
        yield kind, int(number), set(map(int, rest)) if kind in ("FT", "COV") else set()
