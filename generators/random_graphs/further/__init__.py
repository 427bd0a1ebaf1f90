"""Signatures that CTS does not have, one module per family."""
