"""Checks of fenced executions: the fences that they wait for and signal, and their times."""
