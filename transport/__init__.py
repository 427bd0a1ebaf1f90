"""Between a client and a driver's service: the wire, fast message queues, and bursts over them."""
