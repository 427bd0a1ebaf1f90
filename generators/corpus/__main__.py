"""``python -m nnvet.generators.corpus``: write the generated spec files, or compare them with those there are.

With ``--extension NAME`` it writes those of an extension.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nnvet.generators.corpus.of_extensions import write_extension
from nnvet.generators.corpus.writing import CORPUS, differences, write


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


if __name__ == "__main__":
    sys.exit(main())
