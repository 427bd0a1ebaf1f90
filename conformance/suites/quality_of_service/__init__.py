"""Deadlines, priorities, loop timeouts and measured times."""
