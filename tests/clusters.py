"""Clusters whose parts are processes of their own, so that each can be killed."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import Client, LocalCluster

QUIET = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.ERROR}


@contextmanager
def local_client(workers: int = 2) -> Iterator[Client]:
    """A client of workers that are processes; a worker that dies is started again."""
    with LocalCluster(n_workers=workers, processes=True, **QUIET) as cluster, Client(cluster) as client:
        yield client


@contextmanager
def separate_scheduler(folder: Path, workers: int = 1) -> Iterator[tuple[subprocess.Popen, str]]:
    """A scheduler in a process of its own, and its address."""
    file = folder / "scheduler.json"
    places = ["--scheduler-file", str(file)]
    began = [_started("scheduler", *places, "--port", "0", "--host", "127.0.0.1", "--no-dashboard")]
    try:
        while not file.exists():
            time.sleep(0.05)
        began += [
            _started("worker", *places, "--nthreads", "1", "--no-dashboard", "--no-nanny") for _ in range(workers)
        ]
        yield began[0], json.loads(file.read_text())["address"]
    finally:
        for process in reversed(began):
            process.kill()
            process.wait()


def _started(*words: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "dask", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_worker(client: Client, which: int = 0) -> str:
    """Kill a worker as a machine that fails does, without a word; its address."""
    pids = client.run(os.getpid)
    address = sorted(pids)[which]
    os.kill(pids[address], signal.SIGKILL)
    return address
