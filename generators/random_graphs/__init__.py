"""Random models, which are valid by construction and reproducible by name (docs/random-graphs.md).

``signature.py`` describes the forms of operations, ``families/`` has them in tables, and ``draft.py`` builds an
operation. ``generate.py`` makes graphs of one type for named tests (``named.py``); ``models.py``, ``growth.py`` and
``flow.py`` make graphs of mixed types for campaigns (``options.py``, ``schedule.py``). ``golden.py`` computes the
expected outputs.
"""
