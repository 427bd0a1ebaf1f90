"""Suite ``CompilationCachingSecurityTest``: damaged cache files and wrong tokens.

A damaged model cache must be refused, since it holds the program; a damaged data cache may also give a model that runs.
Each check saves a model, damages the files with :func:`_damage`, and prepares from them. Source:
docs/contract/vts-tests.md 5.4; docstrings of checks that VTS lacks begin with "Ours". Files that are merely unsuitable
are in :mod:`nnvet.conformance.suites.caching.basic`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import Executor, TestConfig, execute
from nnvet.conformance.kit.outcome import unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching import fixtures
from nnvet.conformance.suites.caching.basic import LEVEL, TYPES
from nnvet.conformance.suites.caching.networks import small_network
from nnvet.graphs.hal_model import pack_request
from nnvet.hal.enums import BYTE_SIZE_OF_CACHE_TOKEN, OperandType

SUITE: Final = "CompilationCachingSecurityTest"
_SEEDS: Final = 10
"""Different damages of each kind, as in VTS."""
_SEEDED: Final = {
    f"{name}_{seed}": (operand_type, seed) for name, operand_type in TYPES.items() for seed in range(_SEEDS)
}
"""Types with the seeds of the damage, by the arguments of the cases."""
_FLIPS: Final = 4
"""Number of bits to try in each file; VTS tries one."""
_MOST_APPENDED: Final = 256
"""Most bytes that are appended to a file."""

Seeded = tuple[OperandType, int]
"""Type of the network, and seed of the damage."""
Damage = Callable[[bytes], bytes]
"""Function from the content of a file to its damaged content."""


@check(
    SUITE,
    "CorruptedModelCache",
    rules=(
        *fixtures.WORKS,
        "cache/tampered_model_cache",
    ),
    level=LEVEL,
    parameters=lambda: _SEEDED,
)
def corrupted_model_cache(subject: Subject, parameter: Seeded) -> None:
    """A model cache with one bit flipped is refused."""
    rng = _make_random(parameter[1])
    with _open_cache(subject, parameter[0]) as cache:
        for path in _save_and_list(cache, cache.model_paths):
            for _ in range(_FLIPS):
                _check_model_refused(cache, path, lambda content: _flip_bit(content, rng), "one bit of {} flipped")


@check(
    SUITE,
    "WrongLengthModelCache",
    rules=(
        *fixtures.WORKS,
        "cache/tampered_model_cache",
    ),
    level=LEVEL,
    parameters=lambda: _SEEDED,
)
def longer_model_cache(subject: Subject, parameter: Seeded) -> None:
    """A model cache with bytes appended is refused."""
    rng = _make_random(parameter[1])
    with _open_cache(subject, parameter[0]) as cache:
        for path in _save_and_list(cache, cache.model_paths):
            _check_model_refused(cache, path, lambda content: _lengthen(content, rng), "bytes appended to {}")


@check(
    SUITE,
    "CorruptedDataCache",
    rules=(
        *fixtures.WORKS,
        "cache/tampered_data_cache",
    ),
    level=LEVEL,
    parameters=lambda: _SEEDED,
)
def corrupted_data_cache(subject: Subject, parameter: Seeded) -> None:
    """A data cache with one bit flipped leads to an error, or to a model that can be executed."""
    rng = _make_random(parameter[1])
    with _open_cache(subject, parameter[0]) as cache:
        for path in _save_and_list(cache, cache.data_paths):
            for _ in range(_FLIPS):
                _check_survived(cache, path, lambda content: _flip_bit(content, rng))


@check(
    SUITE,
    "WrongLengthDataCache",
    rules=(
        *fixtures.WORKS,
        "cache/tampered_data_cache",
    ),
    level=LEVEL,
    parameters=lambda: _SEEDED,
)
def longer_data_cache(subject: Subject, parameter: Seeded) -> None:
    """A data cache with bytes appended leads to an error, or to a model that can be executed."""
    rng = _make_random(parameter[1])
    with _open_cache(subject, parameter[0]) as cache:
        for path in _save_and_list(cache, cache.data_paths):
            _check_survived(cache, path, lambda content: _lengthen(content, rng))


@check(
    SUITE,
    "WrongToken",
    rules=(
        *fixtures.WORKS,
        "cache/token",
    ),
    level=LEVEL,
    parameters=lambda: _SEEDED,
)
def wrong_token(subject: Subject, parameter: Seeded) -> None:
    """No model is prepared under a token with one flipped bit."""
    rng = _make_random(parameter[1])
    with _open_cache(subject, parameter[0]) as cache:
        _save_and_list(cache, cache.paths)
        cache.load(token=_flip_bit(cache.token, rng)).check_refused(
            "cache/token", "one bit of the token flipped", fixtures.FAILED
        )


_SHORTER: Final[dict[str, Damage]] = {
    "empty": lambda _: b"",
    "one byte": lambda content: content[:1],
    "half": lambda content: content[: len(content) // 2],
    "all but one byte": lambda content: content[:-1],
    "zeros instead": lambda content: bytes(len(content)),
}
"""Damages by their description in the message; the last one keeps the size."""


@check(
    SUITE,
    "TruncatedModelCache",
    rules=(
        *fixtures.WORKS,
        "cache/tampered_model_cache",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def truncated_model_cache(subject: Subject, operand_type: OperandType) -> None:
    """Ours: a model cache that has lost its end, or all of it, is refused."""
    with _open_cache(subject, operand_type) as cache:
        for path in _save_and_list(cache, cache.model_paths):
            for what, damage in _SHORTER.items():
                _check_model_refused(cache, path, damage, f"of {{}} {what}")


@check(
    SUITE,
    "TruncatedDataCache",
    rules=(
        *fixtures.WORKS,
        "cache/tampered_data_cache",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def truncated_data_cache(subject: Subject, operand_type: OperandType) -> None:
    """Ours: a data cache that has lost its end, or all of it, leads to an error or to a model that can be executed."""
    with _open_cache(subject, operand_type) as cache:
        for path in _save_and_list(cache, cache.data_paths):
            for damage in _SHORTER.values():
                _check_survived(cache, path, damage)


@check(
    SUITE,
    "SwappedCacheFiles",
    rules=(
        *fixtures.WORKS,
        "cache/tampered_model_cache",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def swapped_files(subject: Subject, operand_type: OperandType) -> None:
    """Ours: files in a wrong order are refused, and so are exchanged model and data caches."""
    with _open_cache(subject, operand_type) as cache:
        fixtures.require_model_files(cache)
        content = cache.content(_save_and_list(cache, cache.paths))
        if len(set(content.values())) == 1:
            raise unsupported("all cache files of the driver have the same content")
        paths = list(content)
        for path, other in zip(paths, [*paths[1:], paths[0]], strict=True):
            fixtures.write_file(path, content[other])
        cache.load().check_refused("cache/tampered_model_cache", "the files in another order", fixtures.FAILED)


_TOKEN_SIZES: Final = {
    f"{size}_bytes": size for size in (0, BYTE_SIZE_OF_CACHE_TOKEN - 1, BYTE_SIZE_OF_CACHE_TOKEN + 1)
}
"""Sizes in bytes around the right one, and none, by the arguments of the cases."""


@check(
    SUITE,
    "InvalidTokenSize",
    rules=(
        *fixtures.WORKS,
        "cache/token.size",
    ),
    level=LEVEL,
    parameters=lambda: _TOKEN_SIZES,
)
def invalid_token_size(subject: Subject, size: int) -> None:
    """Ours: with a token of wrong size a model is still prepared, but never from a cache."""
    with _open_cache(subject, OperandType.TENSOR_FLOAT32) as cache:
        token = (2 * cache.token)[:size]
        cache.network.check(subject, cache.save(token=token), "cache/save_never_fails")
        cache.load(token=token).check_refused("cache/token.size", f"a token of {size} bytes")
        cache.save()
        cache.load(token=token).check_refused("cache/token.size", f"a token of {size} bytes")


@contextmanager
def _open_cache(subject: Subject, operand_type: OperandType) -> Iterator[fixtures.Cache]:
    """Open a working cache of a small network for as long as the block runs."""
    with fixtures.working_cache(subject, small_network(subject, operand_type)) as cache:
        yield cache


def _save_and_list(cache: fixtures.Cache, paths: list[Path]) -> list[Path]:
    """Save the model, and return the files that then have content.

    :raises CaseFailed: UNSUPPORTED if none has.
    """
    if paths == cache.model_paths:
        fixtures.require_model_files(cache)
    cache.save()
    filled = [path for path in paths if fixtures.size_of_file(path)]
    if not filled:
        raise unsupported("the driver leaves these cache files empty")
    return filled


def _damage(cache: fixtures.Cache, path: Path, damage: Damage) -> bool:
    """Save over the last damage, then damage a file; return True if its content has changed.

    Saving has to rewrite everything, so no damage lasts into the next one.
    """
    cache.save()
    content = fixtures.read_file(path)
    damaged = damage(content)
    fixtures.write_file(path, damaged)
    return damaged != content


def _check_model_refused(cache: fixtures.Cache, path: Path, damage: Damage, what: str) -> None:
    """Check that a damaged file of the model cache is refused; ``what`` names the damage, with {} for the file."""
    if _damage(cache, path, damage):
        cache.load().check_refused("cache/tampered_model_cache", what.format(path.name), fixtures.FAILED)


def _check_survived(cache: fixtures.Cache, path: Path, damage: Damage) -> None:
    """Check that the driver answers, in any way, and that an execution ends, with any result."""
    _damage(cache, path, damage)
    prepared = cache.load().prepared
    if prepared is None:
        return
    packed = pack_request(cache.network.test)
    try:
        execute(prepared, packed.request, TestConfig(Executor.SYNC), cache.subject.timeout_s)
    finally:
        packed.close()


def _make_random(seed: int) -> random.Random:
    """Return random numbers that are the same in every run with a seed."""
    return random.Random(seed)  # noqa: S311 - damage is to be the same in every run


def _flip_bit(content: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one bit at a random position flipped."""
    changed = bytearray(content)
    bit = rng.randrange(8 * len(content))
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def _lengthen(content: bytes, rng: random.Random) -> bytes:
    """Return the bytes with random bytes appended."""
    return content + rng.randbytes(rng.randint(1, _MOST_APPENDED))
