"""Prometheus metrics, scraped from a real worker at work."""

import socket
import subprocess
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from dealmill.pipeline.store.runs.jobs import CHUNK
from tests.servers import LONGEST_SECONDS, clean_environment, dealmill, dealmill_command

RUN = {"engine": "memory/two-pass", "kind": "run", "outcome": "done"}


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def scraped(port: int) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """What is counted, by name and labels; nothing while nobody answers."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as page:
            families = list(text_string_to_metric_families(page.read().decode()))
    except URLError:
        return {}
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def test_a_worker_at_work_is_scraped(tmp_path: Path) -> None:
    assert dealmill("ingest", "deal:memory:seed=1:1-9000", cwd=tmp_path).returncode == 0
    assert dealmill("queue", "1", cwd=tmp_path).returncode == 0
    count = -(-9_000 // CHUNK)
    port = free_port()
    env = {"DEALMILL_METRICS_PORT": str(port), "DEALMILL_WORKERS": "2"}
    working = subprocess.Popen(
        dealmill_command(["work"]), cwd=tmp_path, env=clean_environment(env), stderr=subprocess.PIPE, text=True
    )
    jobs = ("dealmill_jobs_total", frozenset(RUN.items()))
    deadline = time.monotonic() + 120
    while (samples := scraped(port)).get(jobs) != count and time.monotonic() < deadline:
        assert working.poll() is None
        time.sleep(0.2)
    working.terminate()
    _, told = working.communicate(timeout=LONGEST_SECONDS)
    assert samples[jobs] == count, told
    verdicts = frozenset({"engine": RUN["engine"], "verdict": "scored"}.items())
    assert samples["dealmill_verdicts_total", verdicts] == 9_000
    timed = frozenset({"engine": RUN["engine"], "kind": "run"}.items())
    assert samples["dealmill_job_seconds_count", timed] == count
    assert samples["dealmill_job_seconds_sum", timed] > 0
