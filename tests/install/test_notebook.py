"""The shipped notebook shows what it shows when it is run, anywhere."""

import re
from pathlib import Path

from tests.install.environments import Environment, hostile_folder
from tests.install.notebook import NOTEBOOK, execute, read, texts


def test_the_notebook_has_the_output_of_its_cells(environment: Environment, tmp_path: Path) -> None:
    hostile_folder(tmp_path, packages=True)
    shipped, notebook = read(), read()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    execute(notebook, environment, tmp_path)
    assert texts(notebook) == texts(shipped), "write it again with: make docs"
    assert notebook.metadata == shipped.metadata


def test_the_notebook_names_no_machine_and_no_times() -> None:
    cells = read().cells
    assert all(cell.metadata == {} for cell in cells)
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell.get("outputs", []))
    text = re.sub(r'"image/png": ".*"', "", NOTEBOOK.read_text())
    assert not re.search(r"/(home|root|tmp|Users)/|layouts/s|\d\d:\d\d|stderr", text)
