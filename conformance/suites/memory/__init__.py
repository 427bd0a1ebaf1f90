"""Memory of every type: shared, device memory and its life cycle, constants in pools."""
