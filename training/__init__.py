"""Programs that make the data sets and train the networks bundled with the benchmark; running them is never needed.

``images`` makes the image classifiers and ``speech`` the speech networks under models/bundled/zoo. Both run by hand
when a bundled network is to be replaced; nothing that is installed as nnvet imports them, only tests/training does.
"""
