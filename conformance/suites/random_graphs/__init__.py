"""Checks of random graphs of CTS, judged by its criteria; further random models are in ``suites/random_models.py``."""
