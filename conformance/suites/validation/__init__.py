"""Checks of models, requests and operations that a driver must refuse."""
