"""The stress tests, with one module per subject; :mod:`nnvet.conformance.stress.catalogue` imports them all."""
