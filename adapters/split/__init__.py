"""A driver made of drivers: a model is cut into steps, each of which one of several devices prepares and executes."""
