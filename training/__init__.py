"""Draws and trains what the benchmark ships: needed to make the bundled networks anew, never to run them."""
