"""Fuzzes on the workers of a dask cluster: slices run where the driver is, this process merges what they find."""
