"""Checks of models, requests and operations that a driver must refuse.

``specs.py`` mutates the models and requests of specs, as VTS does; ``models.py``, ``requests.py`` and ``operations.py``
break small models of their own, as CTS does; ``large_model.py`` has sizes beyond 32 bits.
"""
