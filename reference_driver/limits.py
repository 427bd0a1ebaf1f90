"""Limits of one model's demands. A model that needs more is refused before it is begun.

The limits are far above what models of phones need, and low enough that no model, however absurd, takes all of the
machine's memory or a processor for minutes. They are read as attributes of this module when they are used, so that
tests can lower them.
"""

from __future__ import annotations

import math

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError

ELEMENTS = 2**25
"""Elements of all outputs of one operation, and of any other array that a kernel works with."""

HELD_BYTES = 2**30
"""Bytes of all values that an execution has computed and still needs, inputs and constants aside."""

PRODUCTS = 2**36
"""Products that one operation adds up: seconds, at most a minute."""

ROUNDS = 2**20
"""Rounds of a loop in Python within one kernel."""

STEPS = 10**6
"""Operations that an execution runs if every loop goes round once."""

NESTING = 100
"""Subgraphs within subgraphs."""

RANK = 32
"""Dimensions that every NumPy can handle."""

PARAMETERS = 2**10
"""Elements of a tensor of axes, sizes or paddings."""

WAITING = 1000
"""Executions that wait for their turn."""

IDLE_NS = 30 * 10**9
"""After so long without an execution a prepared model gives back what it can compute again."""


def exhausted(message: str) -> HalError:
    """Error of something that is too large, and will be the next time too."""
    return HalError(ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, message, "execution/memory")


def check_cells(*shape: int) -> None:
    """Refuse a working array of absurd size.

    :raises HalError: RESOURCE_EXHAUSTED_PERSISTENT if ``shape`` has more than ELEMENTS elements.
    """
    if math.prod(shape) > ELEMENTS:
        raise exhausted(f"a working array of {' x '.join(map(str, shape))} elements is too large")


def check_products(*factors: int) -> None:
    """Refuse sums of products that would not end in reasonable time.

    :raises HalError: RESOURCE_EXHAUSTED_PERSISTENT if there are more than PRODUCTS.
    """
    if math.prod(factors) > PRODUCTS:
        raise exhausted(f"{' x '.join(map(str, factors))} products are too many")


def check_rounds(*factors: int) -> None:
    """Refuse a loop in Python that would not end in reasonable time.

    :raises HalError: RESOURCE_EXHAUSTED_PERSISTENT if there are more than ROUNDS.
    """
    if math.prod(factors) > ROUNDS:
        raise exhausted(f"{' x '.join(map(str, factors))} rounds of a loop are too many")
