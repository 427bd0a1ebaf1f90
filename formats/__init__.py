"""Model files in and out, as models of the HAL."""
