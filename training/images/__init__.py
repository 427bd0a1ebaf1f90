"""The bundled image classifiers: a drawn data set, MobileNets trained on it, and their 8-bit forms."""
