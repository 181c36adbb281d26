"""The catalogue of faults. Each fault is a function that disturbs a scene, and restores it afterwards."""

import json
import os
import signal
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import ExitStack, suppress

import psycopg
from sqlalchemy import select

from dealmill.pipeline.store.database.tables import DONE, LEASED, Control, jobs
from dealmill.pipeline.store.runs.controls import control
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import jobs_over
from dealmill.pipeline.store.runs.workers import worker_name
from dealmill.workers.app import BROKER_PATIENCE
from dealmill.workers.reconciler import queue_of
from tests.faults.farm import LEASE_SECONDS, UP_SECONDS
from tests.faults.processes import children_of, is_worker
from tests.faults.scene import HOSTS, Scene
from tests.forks.slow import JOB_SECONDS

COPY = b"PGCOPY\n\xff\r\n\0"
"""The header of a binary COPY."""
HUGE = 5_000_000
REPEATED = 300
"""The most messages to repeat. Repeating all of them ten times in a row would give a thousand times as many."""
DAYS = 86_400 * 3


def kill_a_child(scene: Scene) -> None:
    """Kill a child process of a worker."""
    _to_one(scene, scene.children, signal.SIGKILL)


def kill_a_worker(scene: Scene) -> None:
    """Kill a Celery worker and, with it, its children."""
    _to_one(scene, scene.workers, signal.SIGKILL)


def kill_a_command(scene: Scene) -> None:
    """Kill a command that runs a farm and, with it, its workers."""
    scene.hosts[scene.chance.choice(HOSTS)].kill()


def kill_a_run(scene: Scene) -> None:
    """Kill a `dealmill run` while it starts, reads or solves. The same command must resume it."""
    file = scene.new_file()
    begun = scene.start("run", file)
    time.sleep(scene.chance.uniform(0.5, 4))
    begun.kill()
    begun.wait()
    assert scene.start("run", file).wait(3 * UP_SECONDS) == 0  # its jobs are queued after those of other runs
    scene.runs.append(find_run(scene.store, "last").id)


def terminate_a_command(scene: Scene) -> None:
    """Terminate a command. It finishes its running jobs."""
    _ended(scene, signal.SIGTERM)


def interrupt_a_command(scene: Scene) -> None:
    """Interrupt a command, as Ctrl-C does."""
    _ended(scene, signal.SIGINT)


def stop_a_child(scene: Scene) -> None:
    """Stop a process until its lease has expired, then continue it."""
    child = _to_one(scene, scene.children, signal.SIGSTOP)
    time.sleep(LEASE_SECONDS + 1)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGCONT)


def suspend_a_host(scene: Scene) -> None:
    """Stop a command with all of its processes until their leases have expired, as a laptop that sleeps."""
    command = scene.hosts[scene.chance.choice(HOSTS)].pid
    workers = [process for process in children_of(command) if is_worker(process)]
    stopped = [command, *workers, *(child for worker in workers for child in children_of(worker))]
    for number, seconds in ((signal.SIGSTOP, LEASE_SECONDS + 1), (signal.SIGCONT, 0)):
        for process in stopped:
            with suppress(ProcessLookupError):
                os.kill(process, number)
        time.sleep(seconds)


def do_a_long_job(scene: Scene) -> None:
    """Start a command whose jobs take ten leases, wait until it has done one, and terminate it."""
    slow = scene.start("work", env={JOB_SECONDS: str(10 * LEASE_SECONDS), "DEALMILL_WORKERS": "1"})
    names = list[str]()

    def held() -> tuple[int, int] | None:
        names[:] = [worker_name(child) for worker in children_of(slow.pid) for child in children_of(worker)]
        query = select(jobs.c.run_id, jobs.c.first).where(jobs.c.worker.in_(names), jobs.c.state == LEASED)
        with scene.store.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.run_id, row.first)

    scene.until(held)
    job = held()
    assert job
    scene.until(lambda: held() != job)
    with scene.store.reading() as connection:
        [state] = {row.state for row in jobs_over(connection, *job, job[1] + 1)}
    assert state == DONE
    slow.terminate()
    assert slow.wait(60) == 0


def join_another(scene: Scene) -> None:
    """Start one more command with its own reconciler, and terminate it again."""
    command = scene.start("work")
    time.sleep(scene.chance.uniform(2, 4))
    command.terminate()
    assert command.wait(60) in (0, 130)  # 130 if it had not started working yet


def pause_a_run(scene: Scene) -> None:
    """Pause a run until no worker holds a job of it, and resume it."""
    _stop_a_run(scene, Control.PAUSED)


def cancel_a_run(scene: Scene) -> None:
    """Cancel a run, and resume it."""
    _stop_a_run(scene, Control.CANCELLED)


def _stop_a_run(scene: Scene, decision: Control) -> None:
    """Stop a run until no worker holds a job of it, check that nothing more is solved, and resume it."""
    number = scene.runs[-1]  # it has jobs left, since another one is planned before it has none
    if find_run(scene.store, number).finished:
        return
    control(scene.store, find_run(scene.store, number), decision)
    scene.until(lambda: not find_run(scene.store, number).leased)
    solved = find_run(scene.store, number).solved
    time.sleep(scene.chance.uniform(0.5, 2))
    stopped = find_run(scene.store, number)
    assert (stopped.solved, stopped.leased, stopped.finished) == (solved, 0, False)
    control(scene.store, stopped, Control.ACTIVE)


def kill_the_broker(scene: Scene) -> None:
    """Kill the broker; all of its data is lost."""
    scene.kill_broker()


def slow_the_broker(scene: Scene) -> None:
    """Delay all data to and from the broker."""
    scene.broker.delay = 0.2
    time.sleep(scene.chance.uniform(1, 3))
    scene.broker.delay = 0.0


def deafen_the_broker(scene: Scene) -> None:
    """Block all data to and from the broker for a while."""
    scene.broker.deaf = True
    time.sleep(scene.chance.uniform(1, 3))
    scene.broker.deaf = False


def deafen_the_broker_for_long(scene: Scene) -> None:
    """Block all data to and from the broker until all clients have run into timeouts."""
    scene.broker.deaf = True
    time.sleep(BROKER_PATIENCE + 2)
    scene.broker.deaf = False


def empty_the_broker(scene: Scene) -> None:
    """Delete all messages."""
    scene.queue().delete(queue_of(scene.store))


def repeat_messages(scene: Scene) -> None:
    """Deliver some of the waiting messages twice."""
    queue, name = scene.queue(), queue_of(scene.store)
    if waiting := queue.lrange(name, 0, REPEATED - 1):
        queue.rpush(name, *waiting)


def reorder_messages(scene: Scene) -> None:
    """Deliver the waiting messages in another order."""
    name = queue_of(scene.store)
    with scene.queue().pipeline() as queue:
        queue.lrange(name, 0, -1)
        queue.delete(name)
        waiting, _ = queue.execute()
        if waiting:
            queue.rpush(name, *scene.chance.sample(waiting, len(waiting)))
            queue.execute()


def forge_messages(scene: Scene) -> None:
    """Send messages that no reconciler would send."""
    queue, name = scene.queue(), queue_of(scene.store)
    scene.until(lambda: queue.llen(name))
    [genuine] = queue.lrange(name, 0, 0)
    for forged in (*NO_MESSAGES, *(_forged(genuine, *arguments) for arguments in NO_JOBS)):
        queue.rpush(name, forged)


NO_MESSAGES = (b"not JSON", b"[]", b"{}", b"\xff\xfe", b'"' + b"x" * HUGE + b'"', json.dumps({"body": "e30="}).encode())
NO_JOBS: tuple[tuple[str, list[object]], ...] = (
    ("dealmill.job", ["solve", 10**12]),
    ("dealmill.job", ["solve", -1]),
    ("dealmill.job", ["solve", "1; DROP TABLE verdicts"]),
    ("dealmill.job", ["solve"]),
    ("dealmill.job", ["x" * HUGE, 1]),
    ("dealmill.job", [["solve"], 1]),
    ("dealmill.job", ["audit", 1]),
    ("dealmill.nothing", [1]),
    ("os.system", ["true"]),
)


def _forged(genuine: bytes | str, task: str, arguments: list[object]) -> bytes:
    """Return a copy of a genuine message with another task and other arguments."""
    message = json.loads(genuine)
    message["body"] = b64encode(json.dumps([arguments, {}, {}]).encode()).decode()
    message["headers"]["task"] = task
    return json.dumps(message).encode()


def kill_the_database(scene: Scene) -> None:
    """Kill the postmaster. The database recovers from its write-ahead log."""
    scene.postgres.crash()


def cut_a_copy(scene: Scene) -> None:
    """Break a connection while a worker is writing rows."""
    assert scene.database.cut_behind(COPY, LEASE_SECONDS + 30)


def cut_the_database(scene: Scene) -> None:
    """Break all connections to the database."""
    scene.database.cut()


def half_close_the_database(scene: Scene) -> None:
    """Close one direction of all connections to the database."""
    scene.database.half_close()


def silence_the_database(scene: Scene) -> None:
    """Block all data to and from the database until all leases have expired, without breaking a connection."""
    scene.database.deaf = True
    time.sleep(LEASE_SECONDS + 2)
    scene.database.deaf = False


def use_up_the_connections(scene: Scene) -> None:
    """Take all connections that the database allows, also those that break, for a while."""
    until = time.monotonic() + LEASE_SECONDS + 1
    with ExitStack() as taken:
        while time.monotonic() < until:
            try:
                taken.enter_context(
                    psycopg.connect(host=str(scene.postgres.folder), user="dealmill", dbname="postgres")
                )
            except psycopg.OperationalError:
                scene.database.cut()


def make_read_only(scene: Scene) -> None:
    """Make the database read-only for a while."""
    scene.set_for_all("SET default_transaction_read_only = on")
    time.sleep(scene.chance.uniform(1, 2))
    scene.set_for_all("RESET default_transaction_read_only")


def refuse_the_user(scene: Scene) -> None:
    """Have the database refuse the user of the commands for a while."""
    rules = scene.postgres.data / "pg_hba.conf"
    accepting = rules.read_text()
    for text, seconds in (
        (f"local {scene.database_name} all reject\n{accepting}", scene.chance.uniform(1, 2)),
        (accepting, 0),
    ):
        rules.write_text(text)
        scene.sql("SELECT pg_reload_conf()")
        scene.database.cut()
        time.sleep(seconds)


def set_the_clock_forward(scene: Scene) -> None:
    """Set the clock of the database forward."""
    _jump(scene, scene.chance.randint(60, DAYS))


def set_the_clock_back(scene: Scene) -> None:
    """Set the clock of the database back."""
    _jump(scene, -scene.chance.randint(60, DAYS))


def _jump(scene: Scene, seconds: int) -> None:
    scene.sql(f"UPDATE faults.jump SET seconds = seconds + {seconds}")


def _to_one(scene: Scene, processes: Callable[[], list[int]], number: int) -> int:
    """Send a signal to one of these processes, as soon as there is one. Return its number."""
    while True:
        scene.until(processes)
        for process in scene.chance.sample(candidates := processes(), len(candidates)):
            with suppress(ProcessLookupError):
                os.kill(process, number)
                return process


def _ended(scene: Scene, number: int) -> None:
    """Send a signal to a working command, and check that it exits with 0."""
    scene.until(lambda: len(scene.workers()) == len(HOSTS))
    host = scene.hosts[scene.chance.choice(HOSTS)]
    host.send_signal(number)
    assert host.wait(60) == 0, f"it ended with {host.returncode}; the commands said:\n{scene.output[-10_000:]}"


FAULTS: dict[str, Callable[[Scene], None]] = {
    "child of a worker killed": kill_a_child,
    "worker killed": kill_a_worker,
    "command killed": kill_a_command,
    "command that began a run killed": kill_a_run,
    "SIGTERM": terminate_a_command,
    "Ctrl-C": interrupt_a_command,
    "run paused": pause_a_run,
    "run cancelled": cancel_a_run,
    "process stopped past its lease": stop_a_child,
    "laptop that sleeps": suspend_a_host,
    "job of ten leases": do_a_long_job,
    "one more reconciler": join_another,
    "broker killed, its data lost": kill_the_broker,
    "broker slow": slow_the_broker,
    "broker silent": deafen_the_broker,
    "broker silent for long": deafen_the_broker_for_long,
    "messages lost": empty_the_broker,
    "messages twice": repeat_messages,
    "messages in another order": reorder_messages,
    "messages forged": forge_messages,
    "database killed": kill_the_database,
    "COPY cut in the middle": cut_a_copy,
    "connections to the database cut": cut_the_database,
    "connections to the database half closed": half_close_the_database,
    "database silent past leases": silence_the_database,
    "no connections left": use_up_the_connections,
    "database read-only": make_read_only,
    "user refused by the database": refuse_the_user,
    "clock set forward": set_the_clock_forward,
    "clock set back": set_the_clock_back,
}
