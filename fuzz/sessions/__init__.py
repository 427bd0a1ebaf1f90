"""Harnesses of the other things that a client sends: packets of bursts, cache files, and frames to the service."""
