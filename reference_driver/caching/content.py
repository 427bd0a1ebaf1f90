"""Content of the compilation cache files, and safe access to them.

The model cache holds the graph of a model and the options of its preparation; the data cache holds the constants.

The files belong to the client, which passes their descriptors and may change, lock or damage the files at any time. So
they are read and written at stated positions: the offset of a descriptor is shared with the client, which may move it.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Final

import msgspec
import numpy as np
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.errors import failure, invalid
from nnvet.hal.extensions import ExtensionDeclaration, resolved
from nnvet.hal.memory import mapped


class StoredModel(msgspec.Struct, frozen=True, array_like=True):
    """Content of the model cache: the whole model without its constants, but with their size and hash."""

    model: hal.Model
    config: hal.PrepareModelConfig
    constants_size: int
    constants_hash: bytes


def plain(value: object) -> object:
    """Convert NumPy's numbers and the codes of extensions to plain numbers, which msgpack can encode."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, int):
        return int(value)
    raise TypeError(f"{type(value).__name__} cannot be stored")


_ENCODER: Final = Encoder(enc_hook=plain)
"""Writer of the model cache, in msgpack."""
_DECODER: Final = Decoder(StoredModel)
"""Reader of the model cache; it refuses whatever has another structure."""


def digest(data: bytes) -> bytes:
    """Return the hash that identifies content."""
    return sha256(data).digest()


def self_contained(model: hal.Model) -> hal.Model:
    """Return the model with all constants moved from its pools to ``operand_values``; each is read once.

    :raises HalError: GENERAL_FAILURE if a pool cannot be mapped.
    """
    if not model.pools:
        return model
    values = bytearray(model.operand_values)

    def moved(operand: hal.Operand) -> hal.Operand:
        if operand.lifetime != hal.OperandLifeTime.CONSTANT_REFERENCE:
            return operand
        place = operand.location
        with mapped(model.pools[place.pool_index], writable=False) as pool:
            values.extend(pool[place.offset : place.offset + place.length])
        location = hal.DataLocation(offset=len(values) - place.length, length=place.length)
        return replace(operand, lifetime=hal.OperandLifeTime.CONSTANT_COPY, location=location)

    def without_pools(subgraph: hal.Subgraph) -> hal.Subgraph:
        return replace(subgraph, operands=tuple(moved(operand) for operand in subgraph.operands))

    main, referenced = without_pools(model.main), tuple(map(without_pools, model.referenced))
    return replace(model, main=main, referenced=referenced, operand_values=bytes(values), pools=())


def stored_form(
    model: hal.Model, config: hal.PrepareModelConfig, extensions: Sequence[ExtensionDeclaration]
) -> StoredModel:
    """Return the stored form of a self-contained model whose extension codes are resolved. It lacks the constants."""
    graph = replace(
        model,
        operand_values=b"",
        # Resolved codes have the prefixes of the declarations.
        extension_name_to_prefix=tuple(
            hal.ExtensionNameAndPrefix(extension.name, extension.prefix) for extension in extensions
        ),
    )
    options = replace(
        config,
        deadline_ns=hal.NO_DEADLINE,
        model_cache=(),
        data_cache=(),
        cache_token=bytes(hal.BYTE_SIZE_OF_CACHE_TOKEN),
    )
    return StoredModel(graph, options, len(model.operand_values), digest(model.operand_values))


def encode(stored: StoredModel) -> bytes:
    """Return the bytes of the model cache."""
    return _ENCODER.encode(stored)


def decode(content: bytes) -> StoredModel:
    """Return the model that :func:`encode` has encoded.

    :raises msgspec.DecodeError: the content is not of that form.
    """
    return _DECODER.decode(content)


def restore(stored: StoredModel, constants: bytes, extensions: Sequence[ExtensionDeclaration]) -> hal.Model:
    """Return the model that was saved, from both parts."""
    return resolved(replace(stored.model, operand_values=constants), extensions)


def check_arguments(
    needed: hal.NumberOfCacheFiles,
    model_cache: Sequence[hal.MappableFile],
    data_cache: Sequence[hal.MappableFile],
    token: bytes,
) -> None:
    """Check everything about the arguments of caching except the files' contents; ``needed`` files are expected.

    :raises HalError: INVALID_ARGUMENT or GENERAL_FAILURE.
    """
    if (len(model_cache), len(data_cache)) != (needed.num_model_cache, needed.num_data_cache):
        raise invalid(f"{len(model_cache)} model and {len(data_cache)} data cache files", "cache/files.count")
    if len(token) != hal.BYTE_SIZE_OF_CACHE_TOKEN:
        raise invalid(f"a cache token of {len(token)} bytes", "cache/token.size")
    for file in (*model_cache, *data_cache):
        check_file(file)


def check_file(file: hal.MappableFile) -> None:
    """Check that a cache file is a regular file, open for reading and writing.

    :raises HalError: INVALID_ARGUMENT without a valid descriptor, else GENERAL_FAILURE.
    """
    try:
        mode = os.fstat(file.handle.fd).st_mode
        access = fcntl.fcntl(file.handle.fd, fcntl.F_GETFL) & os.O_ACCMODE
    except OSError as error:
        raise invalid(f"a cache file has no valid descriptor: {error}", "cache/files.handle") from error
    if not stat.S_ISREG(mode):
        # A read from a pipe or device could block the driver for ever.
        raise failure("a cache file is no regular file", "cache/files.handle")
    if access != os.O_RDWR:
        raise failure("a cache file is not open for reading and writing", "cache/files.handle")


def file_size(fd: int) -> int:
    """Return the size of the file in bytes.

    :raises OSError: the size cannot be read.
    """
    return os.fstat(fd).st_size


def read_at(fd: int, size: int, offset: int = 0) -> bytes:
    """Return ``size`` bytes from ``offset``, or fewer if the file ends before.

    :raises OSError: if it cannot be read.
    """
    pieces: list[bytes] = []
    while size:
        piece = os.pread(fd, size, offset)
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
        offset += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def overwrite(fd: int, data: bytes, offset: int = 0) -> None:
    """Truncate the file at ``offset`` and append ``data``.

    :raises OSError: it cannot be written; the file may then hold a part of the data.
    """
    os.ftruncate(fd, offset)
    rest = memoryview(data)
    while rest:
        written = os.pwrite(fd, rest, offset)
        rest = rest[written:]
        offset += written


@contextmanager
def lock_folder(fd: int) -> Iterator[None]:
    """Lock the file for this process while the block runs.

    :raises BlockingIOError: another process has locked it; waiting would let a client stop the driver.
    :raises OSError: if it cannot be locked at all.
    """
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)
