"""Run the command ``dealmill`` in a process that a fork server provides: ``python -I -S client.py ADDRESS ARGUMENT…``.

It has the streams, the working directory and the environment of this process, which ends as the command does. Imports
are few, because this is done for every command that the documentation shows.
"""

import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    socket.send_fds(server, [b"C"], [0, 1, 2])
    arguments = [os.fsencode(argument) for argument in sys.argv[2:]]
    variables = [b"%s=%s" % variable for variable in os.environb.items()]
    server.sendall(b"\0".join([os.getcwdb(), b"%d" % len(arguments), *arguments, *variables]))  # noqa: PTH109
    server.shutdown(socket.SHUT_WR)
    with server.makefile("rb") as answer:
        _process, status = answer.read(8), int(answer.read())
if status < 0:
    os.kill(os.getpid(), -status)
sys.exit(status)
