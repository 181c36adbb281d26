"""``python -m tests.install``: run the shipped notebook, and write it with the outputs."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.install.environments import editable
from tests.install.notebook import execute, read, write

if __name__ == "__main__":
    notebook = read()
    with TemporaryDirectory() as folder:
        execute(notebook, editable(), Path(folder))
    write(notebook)
