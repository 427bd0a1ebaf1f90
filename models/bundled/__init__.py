"""Small but real networks that the benchmark builds itself, so that it works everywhere, without data or network."""
