"""The engine that selects, schedules, runs and logs cases; the toolkit of suites is :mod:`nnvet.conformance.kit`.

- ``runner`` runs a plan: it lists cases by ``catalogue`` and ``selection``, and ``pool`` gives them to workers
  (``worker_process`` here, ``worker`` there, ``work`` between them), which run them by ``driver`` on the driver that
  ``target`` names. ``nearest`` finds a case by its id.
- ``again`` repeats doubtful cases, ``stuck`` watches the suite's own threads, ``waivers`` forgives known failures.
- ``retesting`` and ``reducing`` run failures again and make them small, ``saved_failures`` keeps them as files.
- ``probing`` asks a driver for its operations, ``locating`` finds the wrong operation of a network, ``attributes``
  describes cases for reports.
"""
