"""Checks of deadlines, priorities, preferences, loop timeouts and measured times."""
