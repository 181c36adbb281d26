"""A running program: it is sent one layout at a time, and everything it does is bounded."""

import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from dealmill.pipeline.errors import ProgramError, VersionError
from dealmill.pipeline.games.verdict import RETRYABLE, Verdict
from dealmill.pipeline.printable import printable
from dealmill.pipeline.programs.bounds import cpu_seconds, environment, limiter
from dealmill.pipeline.programs.manifest import Program
from dealmill.pipeline.programs.protocol import (
    MAX_BYTES,
    OUT_OF_TURN,
    Answer,
    BadAnswer,
    check_greeting,
    greeting,
    read_answer,
)

READ_BYTES = 1 << 16
KEPT_BYTES = 2_000
"""How much of the end of its error output is kept for the log."""
LONGEST_LINE = 200
"""How many characters of its last line of error output are part of the reason of a failure."""
LOOK_SECONDS = 0.5
"""How often to look whether the program has ended, in case its children keep its output open."""
SIGNALS = {number.value: number.name for number in signal.Signals}
END_SECONDS = 2.0
"""How long a program that has closed its output may take to end."""


class ProgramFailure(Exception):
    """A program that did not answer a layout as it should; the message is the evidence of the failure.

    It begins with `RETRYABLE` if the machine may be the cause, and otherwise depends only on what the program wrote.
    """


class Process:
    """A running program, ready for layouts.

    Raises
    ------
    VersionError
        If its files are not those of `version`.
    ProgramError
        If it cannot be started, or does not introduce itself as its manifest says.
    """

    def __init__(self, program: Program, version: str, max_nodes: int) -> None:
        self._program = program
        self._max_nodes = max_nodes
        self._unread = b""
        self._errors = b""
        self._ended_before = _seconds_of_ended_children()
        if (current := program.version()) != version:
            raise changed(program, version, current)
        try:
            self._process = subprocess.Popen(  # noqa: S603 -- the user has declared this command
                program.command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=program.path.parent,
                env=environment(),
                start_new_session=True,
                preexec_fn=limiter(program.manifest.memory),  # noqa: PLW1509 -- takes no locks
            )
        except OSError as error:
            raise ProgramError(f"{program.full_name} cannot be started: {error.strerror} ({program.path})") from error
        assert self._process.stdin and self._process.stdout and self._process.stderr  # noqa: S101 -- pipes
        self._stdin, self._stdout, self._stderr = (
            pipe.fileno() for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._poll = select.poll()
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe, False)
        for pipe in (self._stdout, self._stderr):
            self._poll.register(pipe, select.POLLIN)
        self._greet()

    def _greet(self) -> None:
        manifest = self._program.manifest
        try:
            line = self._exchange(greeting(manifest, self._max_nodes), manifest.handshake_seconds)
            check_greeting(line, manifest)
        except (ProgramFailure, BadAnswer) as failure:
            self.kill()
            why = str(failure).removeprefix(RETRYABLE)
            raise ProgramError(f"{self._program.full_name} did not start: {why}{self.errors()}") from failure

    def ask(self, layout: str, verdicts: Sequence[Verdict]) -> Answer:
        """Send a layout and return the answer, which has one of the verdicts.

        Raises
        ------
        ProgramFailure
            If there is none, or not one that the protocol allows. The program must not be asked again then.
        """
        try:
            line = self._exchange(layout.encode() + b"\n", self._program.manifest.seconds)
            return read_answer(line, layout, self._max_nodes, verdicts)
        except BadAnswer as error:
            raise ProgramFailure(str(error)) from error

    def _exchange(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the line that is the answer, without its end."""
        if self._unread or self._read_output():
            raise BadAnswer(OUT_OF_TURN)
        deadline = time.monotonic() + seconds
        unsent = self._write(line)
        while True:
            answer, end, rest = self._unread.partition(b"\n")
            if len(answer) > MAX_BYTES:
                raise BadAnswer(f"it wrote a line of more than {MAX_BYTES:,} bytes")
            if end:
                self._unread = rest
                return answer
            left = deadline - time.monotonic()
            if left <= 0:
                raise ProgramFailure(f"{RETRYABLE}it gave no answer within {seconds:g} s")
            unsent = self._wait(unsent, min(left, LOOK_SECONDS))

    def _wait(self, unsent: bytes, seconds: float) -> bytes:
        """Wait until there is something to read or write, and do so; return what is still unsent."""
        if unsent:
            self._poll.register(self._stdin, select.POLLOUT)
        ready = {pipe for pipe, _ in self._poll.poll(seconds * 1000)}
        if unsent:
            self._poll.unregister(self._stdin)
        if self._stderr in ready and not self._read_errors():
            self._poll.unregister(self._stderr)
        if self._stdout in ready and not self._read_output():
            raise self._ended()
        if not ready and self._process.poll() is not None:
            raise self._ended()
        return self._write(unsent) if self._stdin in ready else unsent

    def _write(self, line: bytes) -> bytes:
        """Write as much of a line as the program reads now; return the rest."""
        try:
            return line[os.write(self._stdin, line) :]
        except BlockingIOError:
            return line
        except BrokenPipeError:  # it ends; how it did, is found out when its output ends
            return b""

    def _read_output(self) -> bool:
        """Read what the program has written; return whether it was anything."""
        try:
            read = os.read(self._stdout, READ_BYTES)
        except BlockingIOError:
            return False
        self._unread += read
        return bool(read)

    def _read_errors(self) -> bool:
        """Read what the program has written as errors; return whether it can write more."""
        try:
            read = os.read(self._stderr, READ_BYTES)
        except BlockingIOError:
            return True
        self._errors = (self._errors + read)[-KEPT_BYTES:]
        return bool(read)

    def _ended(self) -> ProgramFailure:
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return ProgramFailure(f"{RETRYABLE}it closed its output")
        number = -code if code < 0 else code - 128  # the exit codes of a shell
        if 0 < number < signal.NSIG:
            return ProgramFailure(f"{RETRYABLE}it ended by {SIGNALS.get(number, f'signal {number}')}")
        return ProgramFailure(f"{RETRYABLE}it ended with exit code {code}")

    def errors(self) -> str:
        """Return the end of what it had written as errors when it was killed, as the end of a message."""
        text = self._errors.decode(errors="replace").strip()
        return f"; its error output ends with: {text}" if text else ""

    def last_error(self) -> str:
        """Return the last line of what it had written as errors when it was killed, as the end of a message in
        ASCII."""
        text = printable(self._errors.decode(errors="replace").strip().rpartition("\n")[2])
        shown = text.encode("ascii", "backslashreplace").decode()[-LONGEST_LINE:]
        return f"; its error output ends with: {shown}" if shown else ""

    @property
    def runs(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def cpu_seconds(self) -> float:
        """The processor seconds that it and its children have taken; NaN where the system does not say."""
        if self._process.returncode is None:
            return cpu_seconds(self._process.pid)
        return _seconds_of_ended_children() - self._ended_before

    def kill(self) -> None:
        """Kill the program and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._read_errors()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()


def _seconds_of_ended_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def changed(program: Program, version: str, current: str) -> VersionError:
    """Return the error for a program whose files are no longer those of a version, or were not for a while."""
    if current == version:
        return VersionError(f"the files of {program.full_name} were written to while it ran; it is started again")
    return VersionError(f"the files of {program.full_name} have changed: version {version} is now {current}")
