"""The suites generated over spec cases (VTS catalogue 7): executors, output forms, memory types, signed twins."""
