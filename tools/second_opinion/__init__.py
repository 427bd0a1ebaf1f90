"""Second opinions on the meaning of operations: reference models by other authors, with which tests compare the oracle."""
