"""One graph library: the model type of all tests, and how such models are built, edited and turned into the HAL's."""
