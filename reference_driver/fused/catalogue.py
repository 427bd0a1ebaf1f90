"""Catalogue of the operations that can be put together."""

from __future__ import annotations

from nnvet.reference_driver.fused import recurrent, steps

STEPS: dict[int, tuple[steps.Step, tuple[str, ...]]] = {**steps.STEPS, **recurrent.STEPS}
