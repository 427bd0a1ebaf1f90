"""The bundled driver, in which SOFTPLUS of ``nnvet.next`` is a RELU; for a process of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.extensions.next import codes
from nnvet.extensions.next.kernels import KERNELS
from nnvet.reference_driver.device import VARIANTS, ReferenceDevice


def _relu(call: Any) -> Any:
    return np.maximum(call["input"].array, 0)


def create() -> ReferenceDevice:
    """Return the bundled driver with a wrong kernel."""
    return ReferenceDevice(VARIANTS[""])


KERNELS[codes.SOFTPLUS] = _relu  # type: ignore[index] # of a test's process
