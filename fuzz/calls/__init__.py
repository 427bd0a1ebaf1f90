"""Sequences of calls: objects of a driver that are made, used and dropped in any order."""
