"""Fusion: runs of operations executed as one call of compiled code, for models that are executed many times.

``program.py`` finds the runs, ``steps.py`` turns operations into rows of a table (``table.py``), and ``machine.py`` is
the compiled function that executes the table, with loops from ``sums.py`` and ``tiles.py``. ``recurrent.py``
translates recurrent cells. A new fused operation needs an entry in ``STEPS``, and its results have to equal those of
its kernel.
"""
