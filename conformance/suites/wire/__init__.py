"""Checks of a service's reaction to messages of its clients: versions, frames, calls (docs/protocol.md)."""
