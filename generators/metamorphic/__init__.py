"""Metamorphic relations: other models whose outputs follow from those of a given one, whatever these are.

- :mod:`~nnvet.generators.metamorphic.relation`: what a relation is.
- :mod:`~nnvet.generators.metamorphic.table`: all relations, one in each row, and the models of a relation and a seed.

The other modules have the transformations, a module for each kind. They are functions from a test to its other forms;
what becomes invalid by one, or tells nothing, is left out by ``table``.
"""
