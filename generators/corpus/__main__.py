"""``python -m nnvet.generators.corpus``: write the generated spec files, or compare them with those there are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nnvet.generators.corpus.renames import renamed_cases
from nnvet.generators.corpus.writing import CORPUS, differences, write


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or do what an option says; returns the exit status."""
    parser = argparse.ArgumentParser(prog="nnvet.generators.corpus", description=__doc__)
    parser.add_argument("--folder", type=Path, default=CORPUS, help="folder of the specs")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--check", action="store_true", help="write nothing; list the files that differ, fail if any do"
    )
    choice.add_argument(
        "--renamed-from",
        type=Path,
        metavar="OLD",
        help="write nothing; list the cases that have another name in a folder with an older corpus (CSV), "
        "fail if there is more between the two than names",
    )
    options = parser.parse_args(arguments)
    if options.renamed_from:
        return _list_renamed(options.renamed_from, options.folder)
    changed = differences(options.folder) if options.check else write(options.folder)
    sys.stdout.writelines(f"{path}\n" for path in changed)
    return int(options.check and bool(changed))


def _list_renamed(old: Path, new: Path) -> int:
    try:
        renamed = renamed_cases(old, new)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.writelines(["old,new\n", *(f"{rename.old},{rename.new}\n" for rename in renamed)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
