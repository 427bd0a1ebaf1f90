"""Harnesses of the readers of model files and specs: every input has to give a result or the documented error."""
