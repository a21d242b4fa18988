"""A real cluster, master and workers in processes of their own: nothing relies on one process, and a worker may die."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anonscope as an

ROLES = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["ill"]}
PATIENCE = 240


class Cluster:
    """A master and two workers on the loopback, each in a group of processes of its own."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self._home, self._folder = Path(pyspark.__file__).parent, folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.master = f"spark://127.0.0.1:{free.getsockname()[1]}"
        self._processes = [self._start("master.Master", "--host", "127.0.0.1", "--port", self.master.rpartition(":")[2])]
        self._wait_for_master()
        self.workers = [
            self._start("worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir", str(folder), self.master)
            for _ in range(2)
        ]
        self._processes += self.workers

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(self._home / "bin" / "spark-class"), f"org.apache.spark.deploy.{what}", "--webui-port", "0", *arguments],
            env=os.environ | {"SPARK_HOME": str(self._home), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=self._folder,
        )

    def _wait_for_master(self) -> None:
        host, port = self.master.removeprefix("spark://").split(":")
        for _ in range(PATIENCE):
            try:
                socket.create_connection((host, int(port)), timeout=1).close()
                return
            except OSError:
                time.sleep(0.25)
        raise TimeoutError("the master of Spark did not start")

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process and everything it started, at once."""
        # Executors begin sessions of their own, so they are found by their parents and not by their group.
        for child in _children(process.pid):
            os.kill(child, signal.SIGKILL)
        process.kill()
        process.wait()

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                self.kill(process)


def _children(parent: int) -> list[int]:
    """Return the processes that a process started, and those that they started."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            child = int(stat.parent.name)
            found += [*_children(child), child]
    return found


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    if shutil.which("java") is None:
        pytest.skip("Java is not installed, so Spark cannot be started")
    folder = tmp_path / "work"
    folder.mkdir()
    made = Cluster(folder)
    yield made
    made.close()


def test_a_worker_may_die_in_the_middle(cluster: Cluster, tmp_path: Path) -> None:
    """One of two workers is killed after the first tables were counted: the audit ends with the numbers that DuckDB gives."""
    rows = 3_000
    table = pa.table(
        {
            "age": [(i * 7919) % 83 for i in range(rows)],
            "zip": [f"{(i * 104729) % 97:05}" for i in range(rows)],
            "sex": [("f", "m", None)[i % 3] for i in range(rows)],
            "ill": [f"d{(i * i) % 11}" for i in range(rows)],
        }
    )
    pq.write_table(table, tmp_path / "people.parquet", row_group_size=500)
    staging = tmp_path / "staging"
    staging.mkdir()
    report = tmp_path / "report.json"
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "2",
        # A small table: what Spark spends on compiling is never earned back.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
    }
    run = subprocess.Popen(
        [
            *(sys.executable, "-m", "anonscope", "audit", str(tmp_path / "people.parquet"), "--engine", "spark"),
            *("--spark-master", cluster.master, "--spark-staging", str(staging)),
            *(part for key, value in settings.items() for part in ("--spark-conf", f"{key}={value}")),
            *(part for column in ROLES["quasi_identifiers"] for part in ("-q", column)),
            *("-s", "ill", "-o", str(report), "--quiet"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _wait(lambda: any(staging.glob("*/record-*")) or run.poll() is not None)
        assert run.poll() is None, run.communicate()[0]
        cluster.kill(cluster.workers[0])
        words, _ = run.communicate(timeout=PATIENCE)
    finally:
        run.kill()

    assert run.returncode in (0, 1), words
    assert _numbers(json.loads(report.read_text())) == pytest.approx(_numbers(an.audit(table, **ROLES).to_dict()), rel=1e-9, abs=1e-9)
    assert not list(staging.iterdir())


def _wait(until: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)


def _numbers(report: dict[str, Any]) -> dict[str, float]:
    """Return every number that was measured, by what it is of."""
    return {
        f"{m['metric']} {m['scenario']} {m['attributes']} {m['sensitive']} {m['variant']} {m['level']} {part}": m[part]
        for m in report["measurements"]
        for part in ("value", "min", "mean", "max")
        if m.get(part) is not None
    }
