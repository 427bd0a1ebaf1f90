"""A second opinion on what operations mean: reference models of others."""
