"""A proxy for Unix sockets that can delay or block data and break connections."""

import socket
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

MOST = 1 << 16


class Wire:
    """A proxy that forwards connections from the socket `path` to the socket `target`. It runs until the process
    ends."""

    def __init__(self, path: Path, target: Path) -> None:
        self.delay = 0.0
        """The delay of each piece of data in seconds."""
        self.deaf = False
        """Whether all data is blocked."""
        self._target = target
        self._mark: bytes | None = None
        self._found = Event()
        self._clients: list[socket.socket] = []
        self._servers: list[socket.socket] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        self._entrance = socket.socket(socket.AF_UNIX)
        self._entrance.bind(str(path))
        path.chmod(0o777)
        self._entrance.listen(64)
        Thread(target=self._welcome, daemon=True).start()

    def cut(self) -> None:
        """Break all connections."""
        for end in (*self._clients, *self._servers):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def half_close(self) -> None:
        """End what clients receive, while they can still send."""
        for client in self._clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_WR)

    def cut_behind(self, mark: bytes, seconds: float) -> bool:
        """Break the next connection that sends `mark`, right after these bytes. Return whether there was one within
        `seconds`."""
        self._found.clear()
        self._mark = mark
        was_sent = self._found.wait(seconds)
        self._mark = None
        return was_sent

    def _welcome(self) -> None:
        while True:
            client, _ = self._entrance.accept()
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._target))
            except OSError:
                client.close()
                continue
            self._clients = [end for end in self._clients if end.fileno() >= 0] + [client]
            self._servers = [end for end in self._servers if end.fileno() >= 0] + [server]
            Thread(target=self._forward, args=(client, server, True), daemon=True).start()
            Thread(target=self._forward, args=(server, client, False), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket, from_client: bool) -> None:
        with suppress(OSError):
            while data := source.recv(MOST):
                while self.deaf:
                    time.sleep(0.02)
                time.sleep(self.delay)
                mark = self._mark
                if from_client and mark and mark in data:
                    sink.sendall(data[: data.index(mark) + len(mark)])
                    self._mark = None
                    self._found.set()
                    break
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()
