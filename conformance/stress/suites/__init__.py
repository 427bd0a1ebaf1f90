"""The stress tests; one module per subject."""
