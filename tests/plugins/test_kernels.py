"""The machine code of kernels of a package is cached under a digest of its sources."""

import fcntl
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import numba
import pytest

from dealmill.pipeline.games import caches
from dealmill.pipeline.games.caches import cache_folder, compiled_mark, package_folder
from dealmill.pipeline.games.kernels import KernelFiles, compiling, kernel
from tests.servers import LONGEST_SECONDS, clean_environment

KERNEL = """
from dealmill.kernels import kernel
from polo.parts.worth import WORTH

@kernel
def worth(cards):
    return cards * WORTH
"""
COMPILE = """
import logging, sys
from pathlib import Path
logging.basicConfig(format="%(message)s")
sys.path.append(sys.argv[1])
from dealmill.kernels import compiling
from polo.parts.kernels import worth
print("imported", flush=True)
sys.stdin.read()
with compiling(Path(sys.argv[1], "polo"), "putting"):
    print(worth(14))
"""
ROUTINES = """
from dealmill.kernels import inlined, kernel, routine

@inlined
def half(cards):
    return cards // 2

@routine
def printed(cards):
    print("cards:", cards)
    return half(cards)

@kernel
def deal(cards):
    return printed(cards) + half(cards)
"""
EVERYTHING = """
import numpy as np
from dealmill.kernels import kernel

@kernel
def everything(cards):
    if len(cards) == 0:
        raise ValueError("no cards")
    texts = {str(card): card for card in cards}
    print("cards:", len(cards))
    return np.sort(cards), texts["7"], hash("deal") == hash(str(cards[0])), np.random.random() < 1, np.exp(cards[0])
"""
LOADED = """
import sys
from pathlib import Path
sys.path.append(sys.argv[1])
import numpy as np
from polo.parts.everything import everything
print(everything(np.array([9, 7, 8])))
try:
    everything(np.array([], dtype=np.int64))
except ValueError as error:
    print(error)
print(everything.stats.cache_hits.total(), "numba.np.linalg" in sys.modules)
"""
PROCESSES = 2
LOCK = """
import sys
from pathlib import Path
from dealmill.kernels import compiling
with compiling(Path(sys.argv[1]), "putting"):
    print("locked", flush=True)
    sys.stdin.read()
"""
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _content: b"",
    "truncated": lambda content: content[:-1],
    "shorter than a digest": lambda content: content[:10],
    "one bit of the machine code": lambda content: content[:-99] + bytes([content[-99] ^ 1]) + content[-98:],
}


@pytest.fixture
def package(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a kernel in a folder of its own, and an empty cache."""
    folder = site / "polo"
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
    assert before.name.startswith("polo-")
    (package / "parts" / "worth.py").write_text("WORTH = 4\n")
    cache_folder.cache_clear()
    assert cache_folder(package) != before


def test_a_kernel_of_another_package_is_compiled_and_cached(package: Path) -> None:
    from polo.parts.kernels import worth  # type: ignore[import-not-found]

    assert worth(14) == 42
    again = kernel(worth.py_func)
    assert again(14) == 42
    assert (again.stats.cache_hits.total(), again.stats.cache_misses.total()) == (1, 0)  # type: ignore[attr-defined]


def test_a_routine_is_part_of_its_kernels(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (package / "parts" / "routines.py").write_text(ROUTINES)
    from polo.parts.routines import deal, half, printed  # type: ignore[import-not-found]

    for compiled in (deal, kernel(deal.py_func)):
        assert (compiled(14), capfd.readouterr().out) == (14, "cards: 14\n")
        for function in (half, printed):
            with pytest.raises(TypeError, match=f"^{function.__name__} is part of kernels"):
                function(14)
    assert len(list(cache_folder(package).glob("parts.routines.*"))) == 1


def test_a_cached_kernel_of_any_kind_needs_no_compiler(package: Path) -> None:
    (package / "parts" / "everything.py").write_text(EVERYTHING)
    command = [sys.executable, "-c", LOADED, str(package.parent)]
    environment = clean_environment({"XDG_CACHE_HOME": str(package.parent)})
    compiled, loaded = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    )
    assert compiled[:2] == loaded[:2] == ["cards: 3", "(array([7, 8, 9]), 7, False, True, 8103.083927575384)"]
    assert (compiled[2:], loaded[2:]) == (["no cards", "0 True"], ["no cards", "1 False"])


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_compiled_again(damage: str, package: Path) -> None:
    from polo.parts.kernels import worth

    assert worth(14) == 42
    [file] = kernel_files(cache_folder(package))
    content = file.read_bytes()
    file.write_bytes(DAMAGES[damage](content))
    for misses in (1, 0):
        again = kernel(worth.py_func)
        assert again(14) == 42
        assert again.stats.cache_misses.total() == misses  # type: ignore[attr-defined]


def test_no_changed_file_and_no_file_of_other_types_is_read(tmp_path: Path) -> None:
    files = KernelFiles(tmp_path, "kernel")
    files.save("int64", b"machine code")
    assert (files.load("int64"), files.load("uint64")) == (b"machine code", None)
    [file] = tmp_path.iterdir()
    content = file.read_bytes()
    for index in range(len(content)):
        file.write_bytes(content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :])
        assert files.load("int64") is None
    files.save("uint64", b"other machine code")
    [other_file] = set(tmp_path.iterdir()) - {file}
    file.write_bytes(other_file.read_bytes())
    assert files.load("int64") is None


def test_processes_at_once_compile_a_kernel_once_for_all_installations(package: Path) -> None:
    def run_at_once(site: Path) -> list[str]:
        command = [sys.executable, "-c", COMPILE, str(site)]
        environment = clean_environment({"XDG_CACHE_HOME": str(package.parent)})
        pipe = subprocess.PIPE
        started = [
            subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
            for _ in range(PROCESSES)
        ]
        for process in started:
            assert process.stdout and process.stdout.readline() == "imported\n"
        for process in started:
            assert process.stdin
            process.stdin.close()
            process.stdin = None
        outputs = [process.communicate() for process in started]
        assert [stdout for stdout, _ in outputs] == ["42\n"] * PROCESSES
        return [line for _, stderr in outputs for line in stderr.splitlines()]

    assert run_at_once(package.parent) == ["compiling putting (about 10 s, once per version)"]
    [file] = kernel_files(package.parent / "dealmill")
    file.write_bytes(file.read_bytes()[:-1])
    assert 1 <= len(run_at_once(package.parent)) <= PROCESSES
    second = package.parent / "second"
    shutil.copytree(package, second / "polo")
    assert run_at_once(second) == []


def test_compiling_is_reported_once_with_the_time_that_it_takes(
    package: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with compiling(package, "nothing"):
        pass
    for _ in range(2):
        with compiling(package, "two functions", seconds=12):
            numba.njit(lambda number: number + 1)(1)
            numba.njit(lambda number: number + 2)(1)
        compiled_mark(package, "two functions").unlink()
    assert caplog.messages[0] == "compiling two functions (about 12 s, once per version)"
    assert re.fullmatch(r"compiling two functions \(took \d+ s last time, once per version\)", caplog.messages[1])
    assert len(caplog.messages) == 2


def test_a_killed_process_leaves_no_lock(package: Path) -> None:
    environment = clean_environment({"XDG_CACHE_HOME": str(package.parent)})
    command = [sys.executable, "-c", LOCK, str(package)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout and holder.stdout.readline() == "locked\n"
        holder.kill()
    waited = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS, input="", check=False
    )
    assert waited.stdout == "locked\n"


def kernel_files(folder: Path) -> list[Path]:
    """Return the files with machine code of the package, in its cache folder or one around it."""
    return list(folder.rglob("*kernels.worth-*"))


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
