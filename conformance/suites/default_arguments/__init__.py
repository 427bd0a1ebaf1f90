"""Checks of optional arguments, which are left out or given with their default values."""
