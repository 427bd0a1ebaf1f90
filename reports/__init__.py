"""The event log of a run, and everything that is rendered from it."""
