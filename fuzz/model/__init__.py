"""Fuzzes whole models, valid or not: their form as inputs, their mutations, and the judgement of a driver's answers."""
