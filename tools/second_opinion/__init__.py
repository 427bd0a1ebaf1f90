"""Second opinions on the meaning of operations: reference models by other authors, for tests of the oracle."""
