"""Generators of tests: the specification language, test models, random graphs, mutations."""
