"""The benchmark of real models: model files, data sets, accuracy scores, and drivers compared with LiteRT.

``bench.py`` runs it (``nnvet bench``), ``catalogue.py`` reads the lists of models, ``datasets.py`` the data.
``litert.py`` and ``driver.py`` are the contenders that are measured, ``rounds.py`` measures them, ``evaluators.py`` and
``comparing.py`` judge them, ``conditions.py`` and ``run_rules.py`` say if figures are valid. ``alone.py`` measures
drivers alone: load patterns (``scenarios.py``, with LoadGen in ``loadgen.py``), full rate, cold start.
``capabilities.py`` measures the answers to getCapabilities with the same tools.
"""
