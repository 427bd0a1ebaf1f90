"""Checks that compare a driver with itself, by models whose outputs follow from one another, without a reference."""
