"""Random models: valid by construction, reproducible by name. ``docs/random-graphs.md`` tells how they are made."""
