"""Fuzzes on the workers of a dask cluster: slices run where the driver is, and this process merges their findings."""
