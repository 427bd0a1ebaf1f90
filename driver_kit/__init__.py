"""Base classes and helpers for drivers: device, prepared model, launching, capabilities, a persistent cache."""
