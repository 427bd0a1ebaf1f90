"""The suite: the engine that runs cases, what is tested, the spec corpus, the pytest plugin."""
