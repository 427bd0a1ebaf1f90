"""Raw packets on the message queues of bursts, valid and not."""
