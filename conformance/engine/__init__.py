"""The engine that runs cases: identity, selection, workers, preparing, executing, judging."""
