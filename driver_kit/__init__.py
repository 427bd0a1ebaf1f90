"""What the author of a driver derives from: base device, base prepared model, launching, capabilities."""
