"""The engine that selects, schedules, runs and logs cases.

``runner`` runs a plan: it lists cases by ``catalogue`` and ``selection``, and ``pool`` gives them to workers, which run
them by ``driver`` on the driver that ``target`` names. ``retesting`` and ``reducing`` run failures again and make them
small. What a case does is written with the toolkit in :mod:`nnvet.conformance.kit`.
"""
