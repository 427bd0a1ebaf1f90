"""The contract between neural-network drivers and their clients: types, interfaces, rules, validation.

Drivers, the suite and the transport all build on this package; it builds on none of them. Read ``types.py`` and
``interfaces.py`` first. ``operations/`` declares the operations, ``validation/`` checks models and requests.
"""
