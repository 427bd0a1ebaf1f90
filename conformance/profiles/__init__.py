"""Must-pass lists by purpose: a run is conformant to a profile, never just conformant."""
