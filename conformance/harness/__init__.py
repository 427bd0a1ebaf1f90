"""Takes a test case and a way of executing it and yields a verdict with evidence.

``ways.py`` names the ways, ``executing.py`` runs one on a prepared model, ``checking.py`` judges the answer,
``subject.py`` is the driver under test with its restarts, ``case.py`` puts them together.
"""
