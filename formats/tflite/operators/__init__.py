"""Operator by operator from TFLite to NNAPI."""
