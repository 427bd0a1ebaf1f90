"""The compiled function that executes runs of operations: it interprets a table of steps, and numba compiles it.

All values are float32 in one array, the arena; codes are whole numbers in it. A step is a row of the table. It has a
kind and, in columns that :mod:`nnvet.reference_driver.fused.steps` fills, sizes and places in the arena and in the
arrays of constants. Places are not checked here, so the code that fills the table has to check them.
"""

from __future__ import annotations

from collections.abc import Callable

from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.fused.compiling import kept
from nnvet.reference_driver.fused.others import other
from nnvet.reference_driver.fused.stamp import checksum
from nnvet.reference_driver.fused.sums import depthwise, pad, patch, product, recurrent
from nnvet.reference_driver.kernels.registry import Array


def _made(sources: int) -> Callable[[Array, Array, Array, Array, Array], None]:
    """Return the function compiled from files with the checksum ``sources``.

    numba caches by this file and by the values that the function closes over. The checksum is such a value, so that a
    change of another file of the package makes numba compile again.
    """

    def run(rows: Array, arena: Array, constants: Array, doubles: Array, words: Array) -> None:
        """Execute all steps of a table: int64 [steps, COLUMNS]; float32, float32, float64 and int64 vectors."""
        for index in range(len(rows) if sources else 0):
            row = rows[index]
            kind = row[t.KIND]
            if kind == t.PRODUCT:
                product(arena, row, constants, doubles, words)
            elif kind == t.DEPTHWISE:
                depthwise(arena, row, constants, doubles, words)
            elif kind == t.PAD:
                pad(arena, row)
            elif kind == t.PATCH:
                patch(arena, row, words)
            elif kind >= t.BESIDE:
                recurrent(row, arena, constants, doubles)
            else:
                other(row, arena, doubles, words)

    return kept(run)


run = _made(checksum())
