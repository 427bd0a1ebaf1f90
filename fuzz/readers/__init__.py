"""Harnesses of the readers of model files and specs: any bytes give a result or the documented error."""
