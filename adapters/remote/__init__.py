"""Drivers on other machines: the suite's end of the byte link to an agent, which starts the driver (docs/remote.md)."""
