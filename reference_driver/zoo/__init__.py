"""Deliberately wrong drivers: each is the bundled one but for a single bug, and has to be found by the suite."""
