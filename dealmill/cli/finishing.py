"""The command that ``run --on-finish`` starts for each run that is finished."""

import json
import subprocess
import sys
from tempfile import TemporaryFile

import dealmill
from dealmill.cli.output import tell
from dealmill.cli.status import status_rows
from dealmill.pipeline.progress.events import Event, Finished, Progress


class FinishCommands:
    """The command of ``--on-finish``. It is started for each run with the JSON of the run on standard input, and writes
    to standard error."""

    def __init__(self, store: "dealmill.Store", command: str, progress: Progress) -> None:
        self.store = store
        self.command = command
        self.progress = progress
        self.started: list[tuple[int, subprocess.Popen[bytes]]] = []

    def __call__(self, event: Event) -> None:
        """Pass an event on, and start the command if a run is finished, without waiting for its end."""
        self.progress(event)
        if isinstance(event, Finished):
            self.start(event.run)

    def start(self, run_id: int) -> None:
        """Start the command for a run."""
        [row] = status_rows(self.store, self.store.status(run_id))
        with TemporaryFile("w+") as status:
            status.write(json.dumps(row) + "\n")
            status.seek(0)
            # The user's own command, which may be a pipe.
            started = subprocess.Popen(self.command, shell=True, stdin=status, stdout=sys.stderr)  # noqa: S602
        self.started.append((run_id, started))

    def all_succeeded(self) -> bool:
        """Wait for their ends, and say which failed."""
        failed = [(run_id, process.returncode) for run_id, process in self.started if process.wait()]
        for run_id, code in failed:
            how = f"exit code {code}" if code > 0 else f"signal {-code}"
            tell(f"dealmill: the command of --on-finish failed for run {run_id}, with {how}: {self.command}")
        return not failed
