"""The kind ``jax``: models of the HAL as functions of arrays that JAX traces, and XLA compiles for one platform."""
