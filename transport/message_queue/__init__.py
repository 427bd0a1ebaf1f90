"""The fast message queue: elements from one process to another through shared memory, without system calls.

``queue.py`` is the ring with its writing and its reading end, ``futex.py`` what they sleep on.
"""

from nnvet.transport.message_queue.queue import QueueDescriptor, QueueReader, QueueWriter, create_queue

__all__ = ["QueueDescriptor", "QueueReader", "QueueWriter", "create_queue"]
