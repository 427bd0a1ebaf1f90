"""Study of the oracle: its error bounds have to find planted errors, and must not blame honest (correct) drivers.

``python -m tools.oracle_study`` runs it, and docs/oracle.md shows the figures. Honest drivers and planted errors are
both functions that compute the results of an operation instead of its meaning (:data:`nnvet.oracle.execution.Compute`):

- ``honest`` lists the honest drivers, which ``*_drivers.py`` define; ``runtimes`` adds installed runtimes;
- ``faults`` lists the planted errors, which ``*_faults.py`` define;
- ``models`` and ``nasty`` make the models on which both are tried;
- ``comparisons`` judges honest drivers, ``study`` judges planted errors, and ``figures`` keeps and adds up the results.
"""
