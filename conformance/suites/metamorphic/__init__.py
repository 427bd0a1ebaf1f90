"""A driver held against itself: models whose outputs follow from one another, without a reference."""
