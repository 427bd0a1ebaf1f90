"""Programs that make the speech data and train the bundled networks for speech recognition and synthesis."""
