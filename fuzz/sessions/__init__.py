"""What goes between a client and a driver beside models: packets of bursts, cache files, frames of the service."""
