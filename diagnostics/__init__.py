"""Tools that look into a driver: traces of its time, verbose logging, pictures of models, readers of crash reports."""
