"""Converters of TFLite operators to NNAPI operations, a function for each operator."""
