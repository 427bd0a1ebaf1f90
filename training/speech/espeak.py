"""Speech from espeak-ng's library with the position of every phoneme in it; ``corpus`` calls :func:`speak_all`.

espeak-ng (GPL 3) is a tool here: it runs when training data are made, and neither it nor its data are shipped. What
it says depends on everything the process said before, so that each utterance is made in a process of its own. Those
processes are copies of a small one, ``python -m training.speech.espeak``, that has loaded little else.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

_LIBRARY: Final = "libespeak-ng.so.1"
"""Name by which the dynamic linker finds espeak-ng."""
# Numbers of espeak-ng's header speak_lib.h: AUDIO_OUTPUT_SYNCHRONOUS, the bits espeakINITIALIZE_PHONEME_EVENTS and
# _DONT_EXIT, the parameters espeakRATE, espeakPITCH and espeakRANGE, POS_CHARACTER, espeakCHARS_UTF8,
# espeakEVENT_PHONEME, and the length of the name in the event of a phoneme.
_SYNCHRONOUS: Final = 2
_PHONEME_EVENTS: Final = 0x0001
_DONT_EXIT: Final = 0x8000
_RATE: Final = 1
_PITCH: Final = 3
_RANGE: Final = 4
_POSITION_CHARACTER: Final = 1
_CHARS_UTF8: Final = 1
_EVENT_PHONEME: Final = 7
_PHONEME_BYTES: Final = 8


class EspeakError(Exception):
    """The library is missing or does not do what it is asked."""


@dataclass(frozen=True)
class Manner:
    """Manner of speaking: espeak-ng's name of the voice, words a minute, pitch and its range (0 to 100)."""

    voice: str
    rate: int
    pitch: int
    range: int = 50


@dataclass(frozen=True)
class Speech:
    """Samples in [-1, 1) at ``sample_rate`` Hz; each phoneme by espeak-ng's mnemonic and its first sample."""

    samples: npt.NDArray[np.float32]
    sample_rate: int
    phonemes: tuple[tuple[str, int], ...]


class _Identity(ctypes.Union):
    """Subject of an event: a number, a name, or the phoneme itself (``id`` of espeak_EVENT)."""

    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_byte * _PHONEME_BYTES))


class _Event(ctypes.Structure):
    """The structure espeak_EVENT of speak_lib.h."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Identity),
    )


_Callback: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(_Event))
"""Type of the C function that espeak-ng calls with samples and events."""


def speak_all(jobs: Sequence[tuple[str, Manner]]) -> Iterator[Speech]:
    """Yield the speech of each text in its manner; the same jobs give the same samples wherever they stand.

    :raises EspeakError: if the library is missing or refuses a voice.
    """
    command = [sys.executable, "-m", "training.speech.espeak"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as server:
        assert server.stdin  # noqa: S101 - for the type checker
        assert server.stdout  # noqa: S101 - same
        for text, manner in jobs:
            server.stdin.write(json.dumps([text, asdict(manner)]).encode() + b"\n")
            server.stdin.flush()
            yield _received(server.stdout)


def _received(stream: IO[bytes]) -> Speech:
    """Return the server's answer to one job.

    :raises EspeakError: what the server reports, or that it has ended.
    """
    answer = json.loads(stream.readline() or b'{"error": "espeak-ng ended its process"}')
    if "error" in answer:
        raise EspeakError(answer["error"])
    samples = np.frombuffer(stream.read(answer["bytes"]), dtype="<i2").astype(np.float32) / np.float32(32768)
    phonemes = tuple((name, first) for name, first in answer["phonemes"])
    return Speech(samples, answer["sample_rate"], phonemes)


def _serve() -> None:
    """Answer each line of standard input from a process of its own."""
    for line in sys.stdin.buffer:
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        try:
            text, manner = json.loads(line)
            answer, samples = _speak(text, Manner(**manner))
        except EspeakError as error:
            answer, samples = {"error": str(error)}, b""
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + samples)
        sys.stdout.buffer.flush()
        os._exit(0)


def _speak(text: str, manner: Manner) -> tuple[dict[str, Any], bytes]:
    """Speak one sentence; only the first call in a process gives the samples that are promised."""
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise EspeakError(f"{_LIBRARY} cannot be loaded: {error}; install espeak-ng") from error
    sample_rate = library.espeak_Initialize(_SYNCHRONOUS, 0, None, _PHONEME_EVENTS | _DONT_EXIT)
    if sample_rate <= 0:
        raise EspeakError("espeak-ng does not find its data; install espeak-ng-data")
    chunks: list[bytes] = []
    phonemes: list[tuple[str, int]] = []
    receive = _Callback(_receiver(chunks, phonemes))
    library.espeak_SetSynthCallback(receive)
    if library.espeak_SetVoiceByName(manner.voice.encode()):
        raise EspeakError(f"espeak-ng has no voice {manner.voice!r}; `espeak-ng --voices=variant` lists variants")
    for parameter, value in ((_RATE, manner.rate), (_PITCH, manner.pitch), (_RANGE, manner.range)):
        library.espeak_SetParameter(parameter, value, 0)
    data = text.encode()
    if library.espeak_Synth(data, len(data) + 1, 0, _POSITION_CHARACTER, 0, _CHARS_UTF8, None, None):
        raise EspeakError(f"espeak-ng cannot speak {text!r}")
    samples = b"".join(chunks)
    return {"bytes": len(samples), "sample_rate": sample_rate, "phonemes": phonemes}, samples


def _receiver(chunks: list[bytes], phonemes: list[tuple[str, int]]) -> Callable[[Any, int, Any], int]:
    """Return a callback that collects samples and phonemes."""

    def receive(samples: int | None, count: int, events: Any) -> int:
        if samples and count:
            chunks.append(ctypes.string_at(samples, 2 * count))
        index = 0
        while events[index].type:
            if events[index].type == _EVENT_PHONEME:
                name = bytes(byte & 0xFF for byte in events[index].id.string).partition(b"\0")[0].decode()
                phonemes.append((name, events[index].sample))
            index += 1
        return 0

    return receive


if __name__ == "__main__":
    _serve()
