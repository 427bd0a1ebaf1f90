"""The suite: command line, pytest plugin, harness, oracle, and the corpus of spec files."""
