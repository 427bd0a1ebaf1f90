"""Figures of the oracle's quality: those of ``nnvet zoo --oracle``, with so many models of each form.

``python benchmarks/oracle.py [COUNT]`` takes a minute for each; docs/oracle.md has the figures.
"""

from __future__ import annotations

import sys
import time

from nnvet.commands.oracle_study import print_study


def main() -> None:
    """Print the table, the missed faults, and the time."""
    begin = time.process_time()
    print_study("*", int(sys.argv[1]) if len(sys.argv) > 1 else 8)
    print(f"{time.process_time() - begin:.0f} s of processor time")


if __name__ == "__main__":
    main()
