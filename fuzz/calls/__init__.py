"""Fuzzes sequences of calls, in which objects of a driver are made, used and dropped in any order."""
