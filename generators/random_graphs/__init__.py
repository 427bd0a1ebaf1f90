"""Random models, which are valid by construction and reproducible by name (docs/random-graphs.md).

A *signature* says how to make one operation with random operands: ``signature.py`` defines the class, ``families/`` has
the tables, ``catalogue.py`` collects them, and ``draft.py`` builds the operation within the limits of ``shapes.py``.
``generate.py`` makes graphs of one type for named tests (``named.py``). ``models.py``, ``growth.py`` and ``flow.py``
make graphs of mixed types for campaigns (``options.py``, ``schedule.py``); ``coverage.py`` lists what they can contain.
``chooser.py`` is the source of all random decisions, and ``golden.py`` computes the expected outputs. ``networks.py``
makes networks of the usual architectures instead.
"""
