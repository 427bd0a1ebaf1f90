"""The driver kind ``jax``: JAX traces a model as one function of arrays, and XLA compiles it for one platform.

``device`` makes the device and its programs, ``emitter`` collects the steps of a graph, and ``products`` has the
operations that need functions of JAX itself (docs/jax.md).
"""
