"""Metamorphic relations: other models whose outputs follow from those of a given model, for any driver.

A *form* of a test is such another model. A driver is wrong if its results for a form contradict those for the original.

- :mod:`~nnvet.generators.metamorphic.relation`: the data types of a relation and its forms.
- :mod:`~nnvet.generators.metamorphic.table`: all relations, one in each row, and the models of a relation and a seed.

The other modules have the transformations, a module for each kind. They are functions from a test to its other forms.
``table`` leaves out forms that are invalid or that cannot reveal an error. A new relation needs a row there.
"""
