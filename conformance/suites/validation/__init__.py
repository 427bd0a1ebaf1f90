"""Models, requests and operations that a driver must refuse."""
