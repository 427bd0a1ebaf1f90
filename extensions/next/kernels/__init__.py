"""Kernels of the operations of ``nnvet.next`` for the bundled driver, a module for each family.

The registry of kernels (``reference_driver/kernels/registry.py``) gets :data:`KERNELS` from the extension. A kernel
takes a call with arrays and returns the array of the output. Kernels share no code with the oracle's meanings
(``nnvet.extensions.next.meanings``), so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.extensions.next.kernels import activation, movement, sums, transformers
from nnvet.reference_driver.kernels.registry import Kernel

KERNELS: Final[Mapping[int, Kernel]] = {
    **activation.KERNELS,
    **transformers.KERNELS,
    **movement.KERNELS,
    **sums.KERNELS,
}
"""All kernels by the codes of operations."""
