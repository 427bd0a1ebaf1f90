"""The driver kind ``jax``: JAX traces a model as one function of arrays, and XLA compiles it for one platform."""
