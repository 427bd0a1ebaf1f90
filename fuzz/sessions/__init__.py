"""Harnesses of what a client sends beside models: packets of bursts, cache files, frames of the service."""
