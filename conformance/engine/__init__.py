"""The engine that runs cases: identity, selection, workers, preparing, executing, judging.

``checks`` and ``subject`` are what a suite is written with. ``runner`` runs a plan: it lists cases by ``catalogue``,
and ``pool`` gives them to workers, which run them by ``driver``. A check prepares by ``preparing``, executes by
``executing`` and judges by ``judging``.
"""
