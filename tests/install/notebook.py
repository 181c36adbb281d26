"""Running the shipped notebook."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from tests.install.environments import ROOT, Environment

NOTEBOOK = ROOT / "examples" / "night.ipynb"


class Kernels(AsyncKernelManager):
    """Starts the interpreter of an environment, as Jupyter does for one that is registered."""

    environment: Environment

    @property
    def kernel_spec(self) -> KernelSpec:
        """What is started."""
        launch = [str(self.environment.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=launch, language="python", display_name="Python 3")


def read() -> Any:
    """The notebook as it is shipped."""
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def write(notebook: Any) -> None:
    """Ship the notebook as it is."""
    NOTEBOOK.write_text(nbformat.writes(notebook, indent=1) + "\n")  # type: ignore[no-untyped-call]


def execute(notebook: Any, environment: Environment, folder: Path) -> None:
    """Run all cells in a folder; their outputs replace those in the notebook.

    Only what reads well on a page is kept: no times, and nothing of standard error, where engines say that they are
    being compiled.
    """
    with TemporaryDirectory(prefix="dealmill-") as sockets:  # a TCP port could be taken by others before the kernel
        kernels = Kernels(transport="ipc", ip=f"{sockets}/kernel")
        kernels.environment = environment
        client = NotebookClient(
            notebook, km=kernels, timeout=240, record_timing=False, resources={"metadata": {"path": str(folder)}}
        )
        client.execute(env=environment.all_variables)
    notebook.metadata.language_info = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]


def texts(notebook: Any) -> dict[str, list[str]]:
    """What the cells print and show as text, by their names."""
    return {
        cell.id: [
            output.text if output.output_type == "stream" else output.data["text/plain"] for output in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
