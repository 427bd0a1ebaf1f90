"""Looking into a driver: traces of where time goes, verbose logging, pictures of models."""
