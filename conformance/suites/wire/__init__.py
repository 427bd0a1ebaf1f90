"""A service's treatment of its clients' messages: versions, frames, calls (docs/protocol.md)."""
