"""Checks of deadlines, priorities, preferences, loop timeouts and measured times: one module for each but loops."""
