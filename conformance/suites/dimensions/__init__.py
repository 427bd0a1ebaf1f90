"""Checks of operands whose dimensions the model or the request leaves open."""
