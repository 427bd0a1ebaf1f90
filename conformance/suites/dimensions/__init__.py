"""Operands whose dimensions the model or the request leaves open."""
