"""Communication between a client and a driver's service: the wire, fast message queues, and bursts over them.

``wire/`` has sessions of calls over sockets (docs/protocol.md), ``message_queue.py`` rings in shared memory
(docs/message-queue.md), and ``burst/`` executions that use both.
"""
