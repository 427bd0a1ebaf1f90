"""Tests mined from users' models: single operations and recurring fragments, each once, with how often it occurs.

- :mod:`~nnvet.generators.mining.collection`: which operations make a fragment, the fragment as a test of its own, and
  the fragments of several models, folded.
- :mod:`~nnvet.generators.mining.collection`: when two fragments are the same.
- :mod:`~nnvet.generators.mining.collection`: values that are distributed like those of the model, from a seed.
- :mod:`~nnvet.generators.mining.manifest`: the file beside the specs that says where they come from.
- :mod:`~nnvet.generators.mining.manifest`: the folder of specs.
"""
