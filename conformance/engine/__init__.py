"""How a case runs: identity, selection, workers, preparing, executing, judging."""
