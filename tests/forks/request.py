"""What is sent to a fork server: the streams of a process, its working directory, its arguments and its environment."""

import os
import socket
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Self


class Kind(Enum):
    """What is to be run."""

    COMMAND = b"C"
    """A command. The server tells its number, and its exit status when it ends."""
    WORKER = b"W"
    """A Celery worker, as a child of the process that asks. The server tells its number."""


class Request(NamedTuple):
    """A process to be run. Each of its variables is ``NAME=VALUE``."""

    kind: Kind
    streams: Sequence[int]
    folder: str
    arguments: Sequence[str]
    variables: Sequence[str]

    def send(self, server: socket.socket) -> None:
        """Send the request to a server, which answers in the same connection."""
        socket.send_fds(server, [self.kind.value], self.streams)
        words = [self.folder, str(len(self.arguments)), *self.arguments, *self.variables]
        server.sendall(b"\0".join(map(os.fsencode, words)))
        server.shutdown(socket.SHUT_WR)

    @classmethod
    def received(cls, client: socket.socket) -> Self:
        """Receive a request, with all texts as strings."""
        kind, streams, _, _ = socket.recv_fds(client, 1, 3)
        with client.makefile("rb") as sent:
            folder, count, *words = map(os.fsdecode, sent.read().split(b"\0"))
        return cls(Kind(kind), streams, folder, words[: int(count)], words[int(count) :])

    def close(self) -> None:
        """Close the streams in this process."""
        for stream in self.streams:
            os.close(stream)

    def take_over(self) -> None:
        """Replace the standard streams, the working directory and the environment of this process."""
        os.chdir(self.folder)
        for number, stream in enumerate(self.streams):
            os.dup2(stream, number)
            os.close(stream)
        os.environ.clear()
        os.environ.update((name, value) for name, _, value in (variable.partition("=") for variable in self.variables))
