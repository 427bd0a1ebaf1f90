"""``python -m nnvet.generators.corpus``: write the generated spec files, or see whether they are current."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nnvet.generators.corpus.writing import CORPUS, differences, write


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or with ``--check`` only list those that differ; the exit status is 1 if some do then."""
    parser = argparse.ArgumentParser(prog="nnvet.generators.corpus", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs, and list those")
    parser.add_argument("--folder", type=Path, default=CORPUS, help="folder of the specs")
    options = parser.parse_args(arguments)
    changed = differences(options.folder) if options.check else write(options.folder)
    for path in changed:
        sys.stdout.write(f"{path}\n")
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
