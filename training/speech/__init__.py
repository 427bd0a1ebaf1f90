"""Speaks and trains what the benchmark ships for speech recognition and synthesis."""
