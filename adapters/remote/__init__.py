"""Drivers on other machines: the suite's end of the link to an agent, which carries bytes alone (docs/remote.md)."""
