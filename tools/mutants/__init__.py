"""Power of the corpus: kernels and declarations with one seeded change each, which specs or graphs have to find.

``mutant`` makes the changes, ``driver`` a driver of one, ``judges`` and ``random_models`` decide whether it is found,
``reach`` leaves out what no test comes to, ``results`` and ``page`` keep what was found.
"""
