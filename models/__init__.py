"""The benchmark of real models: model files, data sets, accuracy scores, and drivers compared with LiteRT.

``bench.py`` runs it (``nnvet bench``), ``catalogue.py`` reads the lists of models, ``datasets.py`` the data.
``litert.py`` and ``driver.py`` are the contenders that are measured, ``rounds.py`` measures them, ``evaluators.py`` and
``judgement.py`` judge them. ``capabilities.py`` measures the answers to getCapabilities with the same tools.
"""
