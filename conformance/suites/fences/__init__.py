"""Fenced executions: what they wait for, what they signal, their times."""
