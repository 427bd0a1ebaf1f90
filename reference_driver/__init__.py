"""The bundled driver: every method of every interface, for every operation, in NumPy.

``create(variant)`` makes a device. ``compiled.py`` turns a model into bound operations, ``executor.py`` runs
them, ``kernels/`` computes.
"""

from nnvet.reference_driver.device import create

__all__ = ["create"]
