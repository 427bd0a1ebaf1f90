"""Checks of random models of any options and seed, which campaigns consist of."""
