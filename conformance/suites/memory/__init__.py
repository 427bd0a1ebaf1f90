"""Checks of memory of every type: shared memory, device memory and its life cycle, constants in pools."""
