"""The machine code of kernels of a package is cached under a digest of its sources."""

import fcntl
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from dealmill.pipeline.games import caches
from dealmill.pipeline.games.caches import cache_folder, compiled_mark, package_folder
from dealmill.pipeline.games.kernels import compiling

KERNEL = """
from dealmill.game import kernel
from golf.parts.worth import WORTH

@kernel
def worth(cards):
    return cards * WORTH
"""


@pytest.fixture
def package(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a kernel in a folder of its own, and an empty cache."""
    folder = site / "golf"
    (folder / "parts").mkdir(parents=True)
    for path in (folder / "__init__.py", folder / "parts" / "__init__.py"):
        path.touch()
    (folder / "parts" / "kernels.py").write_text(KERNEL)
    (folder / "parts" / "worth.py").write_text("WORTH = 3\n")
    monkeypatch.setattr(caches, "caches", lambda: site / "cache")
    cache_folder.cache_clear()
    yield folder
    cache_folder.cache_clear()


def test_kernels_are_cached_by_all_sources_of_their_package(package: Path) -> None:
    assert package_folder(package / "parts" / "kernels.py") == package
    assert compiled_mark(package / "parts", "a part").parent == cache_folder(package)
    assert package_folder(package / "engine.py") == package
    before = cache_folder(package)
    assert before.name.startswith("golf-")
    (package / "parts" / "worth.py").write_text("WORTH = 4\n")
    cache_folder.cache_clear()
    assert cache_folder(package) != before


def test_a_kernel_of_another_package_is_compiled_and_cached(package: Path) -> None:
    from golf.parts.kernels import worth  # type: ignore[import-not-found]

    assert worth(14) == 42
    assert list(cache_folder(package).rglob("*.object"))


def test_only_processes_that_need_a_kernel_wait_until_it_is_compiled(package: Path) -> None:
    def compile_as(what: str) -> None:
        with compiling(package, what):
            pass

    compile_as("putting")
    begun = compiled_mark(package, "driving")
    with begun.with_name(f"{begun.name}.lock").open("w") as another_process:
        fcntl.flock(another_process, fcntl.LOCK_EX)
        waiting = Thread(target=compile_as, args=("driving",))
        waiting.start()
        compile_as("putting")
        compile_as("chipping")
        assert waiting.is_alive()
    waiting.join()
    assert begun.exists()
