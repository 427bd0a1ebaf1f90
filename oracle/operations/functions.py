"""Functions of real numbers that NumPy lacks, for plain arrays and for numbers that carry their errors.

Meanings of operations call them; :mod:`nnvet.oracle.bounds.following` computes their errors.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

ERF: Final = np.frompyfunc(math.erf, 1, 1)
"""The error function as NumPy's own functions are: ``oracle/bounds/following.py`` finds its errors by this name."""


def erf(x: Any) -> Any:
    """Return the error function of an array, in float64."""
    return ERF(x).astype(np.float64)
