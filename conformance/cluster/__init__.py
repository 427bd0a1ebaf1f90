"""Runs a plan on the workers of a dask cluster: they open the driver, this process merges what they find."""
