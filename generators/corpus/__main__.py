"""``python -m nnvet.generators.corpus``: write the generated spec files, or compare them with those there are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nnvet.generators.corpus.writing import CORPUS, differences, write


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or only compare them; returns the exit status."""
    parser = argparse.ArgumentParser(prog="nnvet.generators.corpus", description=__doc__)
    parser.add_argument("--folder", type=Path, default=CORPUS, help="folder of the specs")
    parser.add_argument("--check", action="store_true", help="list the files that differ, and fail if any do")
    options = parser.parse_args(arguments)
    changed = differences(options.folder) if options.check else write(options.folder)
    sys.stdout.writelines(f"{path}\n" for path in changed)
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
