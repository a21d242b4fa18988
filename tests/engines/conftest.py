"""One session of Spark and one server of PostgreSQL for all tests that need them; starting takes longer than most of them."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

# Tables of tests are small: what Spark spends on compiling a statement is never earned back.
QUICK = {
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Without checksums beside every file, each of which would be one more process to set its permissions.
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
}


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark in this process; without Java it is skipped, with Java it must start."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed, so Spark cannot be started")
    from anonscope.engines.spark.engine import Spark

    engine = Spark(master="local[2]", conf=QUICK)
    yield engine.session
    engine.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A database in PostgreSQL with three users; where it is not installed it is skipped, where it is it must start."""
    from postgres_server import binaries, peopled, started

    if url := os.environ.get("ANONSCOPE_POSTGRES_URL"):
        with peopled(url) as server:
            yield server
        return
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed, and ANONSCOPE_POSTGRES_URL names no server")
    with started(programs) as url, peopled(url) as server:
        yield server
