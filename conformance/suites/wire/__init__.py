"""What a service makes of its clients' messages: versions, frames, calls (docs/protocol.md)."""
