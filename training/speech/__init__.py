"""Programs that make the speech data and train the bundled networks for speech recognition and synthesis.

``corpus`` has sentences (``sentences``) spoken (``espeak``) and turns them into inputs and truths (``analysis``,
``features``, ``linguistic``, ``phones``, ``vocoder``); ``train`` trains ``networks`` on them with ``training``;
``build`` writes models (``export``), test data and their list. The image classifiers are made next door in
``training.images``.
"""
