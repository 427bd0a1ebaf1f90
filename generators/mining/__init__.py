"""Tests mined from users' models: single operations and recurring fragments, each once and with its frequency.

- :mod:`~nnvet.generators.mining.collection`: cuts models into fragments, compares and merges them, and describes the
  distribution of their values, from which similar values are drawn by a seed.
- :mod:`~nnvet.generators.mining.spec_folder`: writes the fragments as a folder of specs.
- :mod:`~nnvet.generators.mining.manifest`: the file beside the specs that says where they come from.
"""
