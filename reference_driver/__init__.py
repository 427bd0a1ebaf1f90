"""The bundled driver: every method of every interface, for every operation, in NumPy.

``create(variant)`` makes a device. ``compiled.py`` turns a model into bound operations, ``executor.py`` runs
them, and ``kernels/`` computes. ``fused/`` compiles runs of operations to machine code, ``caching/`` saves compiled
models, and ``zoo/`` has deliberately wrong copies of the driver that the suite has to find.
"""

from nnvet.reference_driver.device import create

__all__ = ["create"]
