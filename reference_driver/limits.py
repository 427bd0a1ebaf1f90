"""Limits of the memory and time that one model may demand. A model that needs more is refused before it runs.

The limits are far above the needs of models on phones, and low enough that no model, however absurd, takes all the
machine's memory or a processor for minutes. They are read as attributes of this module each time, so that tests can
lower them.
"""

from __future__ import annotations

import math

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError

ELEMENTS = 2**25
"""Most elements of all outputs of one operation, and of any other array of a kernel."""

HELD_BYTES = 2**30
"""Most bytes of the values that an execution has computed and still needs, without inputs and constants."""

PRODUCTS = 2**36
"""Most products that one operation adds up. They take seconds, at most a minute."""

ROUNDS = 2**20
"""Most rounds of a loop in Python within one kernel."""

STEPS = 10**6
"""Most operations that an execution runs if every loop runs once."""

NESTING = 100
"""Deepest nesting of subgraphs."""

RANK = 32
"""Highest rank, which every version of NumPy supports."""

PARAMETERS = 2**10
"""Most elements of a tensor of axes, sizes or paddings."""

WAITING = 1000
"""Most executions that wait for a slot."""

IDLE_NS = 30 * 10**9
"""Time without an execution after which a prepared model releases everything that it can compute again."""


def exhausted(message: str) -> HalError:
    """Return the error for a demand that is too large, and will be too large the next time as well."""
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
    """Refuse a loop in Python that would take too long.

    :raises HalError: RESOURCE_EXHAUSTED_PERSISTENT if there are more than ROUNDS.
    """
    if math.prod(factors) > ROUNDS:
        raise exhausted(f"{' x '.join(map(str, factors))} rounds of a loop are too many")
