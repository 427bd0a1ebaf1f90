"""Suite ``ValidateBurst``: bursts by raw packets on their message queues, valid and invalid.

``packets.py`` has the tests of VTS, ``abuse.py`` the additions, ``raw.py`` the client's end of a burst for both.
"""
