"""Messages between processes of which one is not trusted: plain data and nothing else.

A worker could answer with anything, because the mechanism that it runs can write to every file of
its process. So an answer is never unpickled: it is JSON, in which a list starts with a letter that
says what it is, followed by the bytes of the arrays. :func:`decode` makes the types of
:mod:`auditor.runs.plain_data` of it, or raises :class:`Malformed`.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from auditor.runs.blocks import Raised
from auditor.runs.plain_data import ARRAY_KINDS, SCALARS, Key, Token
from auditor.runs.values import Code

HEADER = 8
"""Bytes of a length, of a message or of the JSON in it."""
LARGEST = 2**36
_INTEGERS = range(-(2**63), 2**63)
_DTYPE = re.compile(r"[<>|][biufcSU]\d{1,9}|[<>][mM]8(\[\d*[a-zA-Z]{1,2}\])?")


class Malformed(ValueError):
    """A message is not what :func:`encode` makes."""


def require(condition: bool) -> None:
    """Raise Malformed unless something is true of a message."""
    if not condition:
        raise Malformed("a message is malformed")


# ------------------------------------------------------------------------------- a message


def encode(value: Any) -> bytes:
    """Return plain data as a message.

    Parameters
    ----------
    value : object
        None, bool, int, float, str, bytes, arrays and NumPy scalars without objects, Token, Key,
        Raised, Code, and lists, tuples and dicts of them.

    Raises
    ------
    TypeError
        If there is anything else.
    """
    blobs: list[bytes] = []
    text = json.dumps(_put(value, blobs), separators=(",", ":")).encode()
    text += b" " * (-(HEADER + len(text)) % (2 * HEADER))  # the bytes of an array are aligned
    return b"".join([len(text).to_bytes(HEADER), text, *blobs])


def _put(value: Any, blobs: list[bytes]) -> Any:
    kind = type(value)
    if kind is int:
        return value if value in _INTEGERS else ["i", hex(value)]
    if kind is bytes:
        blobs.append(value)
        return ["b", len(value)]
    if kind in SCALARS:
        return value
    if kind is list or kind is tuple:
        if {float, str, bool, type(None)}.issuperset(map(type, value)):
            return ["l" if kind is list else "t", *value]
        return ["l" if kind is list else "t", *(_put(item, blobs) for item in value)]
    if kind is dict:
        return ["d", *(_put(part, blobs) for pair in value.items() for part in pair)]
    if kind is np.ndarray and value.dtype.kind in ARRAY_KINDS:
        blobs.append(value.tobytes())
        return ["a", value.dtype.str, *value.shape]
    if isinstance(value, np.generic) and value.dtype.kind in ARRAY_KINDS:
        blobs.append(value.tobytes())
        return ["s", value.dtype.str]
    if kind is Token:
        return ["k", value.text, value.kind]
    if kind is Key:
        return ["y", value.shown, _put(value.value, blobs)]
    if kind is Raised or kind is Code:
        return ["r" if kind is Raised else "c", value.name]
    raise TypeError(f"{kind.__name__} is no plain data")


def decode(message: bytes | memoryview) -> Any:
    """Return the data of a message.

    Raises
    ------
    Malformed
    """
    end = HEADER + int.from_bytes(message[:HEADER])
    try:
        require(len(message) >= end)
        tree = json.loads(bytes(message[HEADER:end]))
        reader = _Reader(message, end)
        value = reader.get(tree)
        require(reader.at == len(message))
    except Malformed:
        raise
    except Exception as error:  # a tree of other types, too deep, no hex digits, no UTF-8, ...
        raise Malformed("a message is malformed") from error
    return value


class _Reader:
    """Reads the values of a message, whose bytes begin at ``at``."""

    def __init__(self, message: bytes | memoryview, at: int) -> None:
        self._message = memoryview(message)
        self.at = at

    def get(self, part: Any) -> Any:
        if type(part) is list:
            return _READERS[part[0]](self, part[1:])
        require(type(part) is not dict)
        return part

    def pairs(self, parts: list[Any]) -> dict[Any, Any]:
        return {
            self.get(key): self.get(value)
            for key, value in zip(parts[::2], parts[1::2], strict=True)
        }

    def token(self, words: Any, kind: Any) -> Token:
        require(kind in ("", "failed", "shut"))
        return Token(text(words), kind)

    def array(self, name: Any, shape: list[Any]) -> np.ndarray[Any, Any]:
        require(_DTYPE.fullmatch(text(name)) is not None)
        require(all(type(length) is int and length >= 0 for length in shape))
        dtype, size = np.dtype(name), math.prod(shape)
        taken = self.take(size * dtype.itemsize)
        if size * dtype.itemsize == 0:
            return np.empty(shape, dtype)
        array = np.frombuffer(taken, dtype).reshape(shape)
        # what is kept of a message must not keep much more than itself
        most = 2 * array.nbytes > len(self._message)
        return array if most and array.flags.aligned else array.copy()

    def take(self, size: int) -> memoryview:
        start, self.at = self.at, self.at + size
        require(type(size) is int and size >= 0 and self.at <= len(self._message))
        return self._message[start : self.at]


_READERS: dict[str, Callable[[_Reader, list[Any]], Any]] = {
    "l": lambda reader, parts: [reader.get(part) for part in parts],
    "t": lambda reader, parts: tuple([reader.get(part) for part in parts]),
    "d": lambda reader, parts: reader.pairs(parts),
    "i": lambda reader, parts: int(text(*parts), 16),
    "b": lambda reader, parts: bytes(reader.take(*parts)),
    "a": lambda reader, parts: reader.array(parts[0], parts[1:]),
    "s": lambda reader, parts: reader.array(parts[0], parts[1:])[()],
    "k": lambda reader, parts: reader.token(*parts),
    "y": lambda reader, parts: Key(text(parts[0]), reader.get(*parts[1:])),
    "r": lambda reader, parts: Raised(text(*parts)),
    "c": lambda reader, parts: Code(text(*parts)),
}


def text(value: Any) -> str:
    """Return a string; raise Malformed if it is none."""
    require(type(value) is str)
    return str(value)


# ------------------------------------------------------------------------ streams of messages


def send(descriptor: int, message: bytes) -> None:
    """Write a message, with its length before it, to an open file."""
    rest = memoryview(len(message).to_bytes(HEADER) + message)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Messages:
    """Reads messages from an open file, a pipe or a socket, without waiting longer than told.

    Parameters
    ----------
    descriptor : int
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._length: int | None = None
        self._expect(HEADER)

    def _expect(self, size: int) -> None:
        try:
            # memory is taken as it is filled: a length that is a lie costs nothing
            self._part = np.empty(size, np.uint8).data
        except MemoryError:
            raise Malformed("a message is too long") from None
        self._filled = 0

    def next(self, seconds: float | None) -> memoryview | None:
        """Return the next message; ``None`` if nothing comes for so many seconds.

        ``None`` too if only a part of the message came: what has come is kept.

        Raises
        ------
        EOFError
            If the other side has closed its end.
        Malformed
            If what comes is no message.
        """
        while self._length is None or self._filled < len(self._part):
            if self._filled == len(self._part):
                self._length = int.from_bytes(self._part)
                require(0 < self._length <= LARGEST)
                self._expect(self._length)
            if not wait([self._descriptor], seconds):
                return None
            read = os.readv(self._descriptor, [self._part[self._filled :]])
            if read == 0:
                raise EOFError
            self._filled += read
        whole, self._length = self._part, None
        self._expect(HEADER)
        return whole
