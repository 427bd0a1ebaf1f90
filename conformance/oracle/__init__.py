"""Decides whether outputs are right: tolerances of the NNAPI and the comparison itself."""

from conformance.oracle.comparison import Mismatch, compare
from conformance.oracle.tolerance import Tolerance, tolerance_for

__all__ = ["Mismatch", "Tolerance", "compare", "tolerance_for"]
