"""Columns and kinds of steps, shared by ``steps.py``, which fills the table, and compiled functions that read it."""

from __future__ import annotations

from typing import Final

COLUMNS: Final = 20
KIND, SOURCE, OUT = range(3)
FREE: Final = 3
"""First column whose meaning depends on the kind of the row."""
UNITS, TAPS, WEIGHTS, BIAS, LIMITS, MODE, STEP, OFFSETS = range(3, 11)
"""Columns of the kinds that form sums of products."""
REST: Final = 11
"""First column of these kinds whose meaning depends on the kind."""
WIDE: Final = 16
"""Channels of a tile of two vectors; the last tile of a line may have half as many."""
NARROW: Final = 8
PAD, PATCH, PRODUCT, DEPTHWISE, ADD_FLOAT, ADD_CODES, POOL, SOFTMAX_FLOAT, SOFTMAX_CODES = range(9)
"""Kinds."""
BESIDE, ZEROS, ACTIVATE, LSTM_GATES = range(9, 13)
"""Kinds of recurrent cells."""
CLAMP, ONCE, TWICE = range(3)
"""Forms in which sums become values: as floats, or as codes rounded once or twice (kernels/accumulators.py)."""
MEAN_FLOAT, MEAN_CODES, MAXIMUM = range(3)
"""Kinds of pooling."""
NONE, RELU, RELU6, TANH, SIGMOID = 0, 1, 3, 4, 6
ACTIVATIONS: Final = frozenset((NONE, RELU, RELU6, TANH, SIGMOID))
"""Activations of recurrent cells, by the codes of :class:`nnvet.hal.operations.recurrent.RecurrentActivation`."""
