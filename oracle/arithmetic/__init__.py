"""Simulated drivers: operations computed in the arithmetics that correct drivers use, such as float16 accumulators.

Tests and studies of error bounds use them: a bound that a simulated driver exceeds is too tight.
"""
