"""``python -m nnvet.generators.corpus``: write the generated spec files, or compare them with the existing ones.

With ``--extension NAME`` the command writes spec files of the operations of an extension that brings their meaning:
several examples of each type, rank and form, with the oracle's results as expected values.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from nnvet.generators.corpus.writing import CORPUS, differences, write
from nnvet.generators.random_graphs.catalogue import signatures_of_extensions
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import single_operation
from nnvet.generators.random_graphs.golden import with_golden_results
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.specs.dump import dump_spec
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.hal.levels import version_name

_SMALL = SizeLimits(6, 100)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or only compare them; return the exit status."""
    parser = argparse.ArgumentParser(prog="nnvet.generators.corpus", description=__doc__)
    parser.add_argument("--folder", type=Path, default=CORPUS, help="folder of the specs")
    parser.add_argument("--check", action="store_true", help="list the files that differ, and fail if any do")
    parser.add_argument("--extension", metavar="NAME", help="write specs of this extension's operations instead")
    parser.add_argument("--count", type=int, default=3, help="of an extension: so many of each form, type and rank")
    options = parser.parse_args(arguments)
    if options.extension is not None:
        if options.folder == CORPUS:
            parser.error("specs of an extension need a --folder of their own")
        sys.stdout.writelines(f"{path}\n" for path in write_extension(options.extension, options.folder, options.count))
        return 0
    changed = differences(options.folder) if options.check else write(options.folder)
    sys.stdout.writelines(f"{path}\n" for path in changed)
    return int(options.check and bool(changed))


def extension_texts(extension: str, count: int) -> dict[str, str]:
    """Return the text of each spec file by its path: ``count`` of each form, type and rank.

    :raises ValueError: no known extension of that name brings the meaning of an operation.
    """
    texts = {}
    for signature in signatures_of_extensions():
        if not signature.name.startswith(f"{extension}::"):
            continue
        for kind in signature.types:
            for rank in signature.ranks:
                for number in range(count):
                    kinds = kind.name.rpartition("::")[2]
                    short = f"{signature.name.partition('::')[2]}_{kinds}_rank{rank}_{number}".lower()
                    name = f"{extension}/{short}"
                    test = single_operation(SeededChooser(name), name, signature, kind, rank, _SMALL)
                    path = f"{version_name(signature.level)}/{re.sub('[^a-z0-9_]', '_', short)}{SPEC_SUFFIX}"
                    texts[path] = dump_spec(with_golden_results(replace(test, name=short)))
    if not texts:
        raise ValueError(f"no known extension {extension!r} brings the meaning of an operation")
    return texts


def write_extension(extension: str, folder: Path, count: int) -> list[str]:
    """Write the spec files of an extension into a folder; returns their paths there."""
    texts = extension_texts(extension, count)
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return sorted(texts)


if __name__ == "__main__":
    sys.exit(main())
