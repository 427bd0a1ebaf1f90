"""Runs of operations as one compiled call, for models that are executed again and again."""
