"""A session of Spark: the user's own, in a corner of it, or a new one that says nothing and leaves nothing behind."""

import os
import re
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anonscope.engines.spark.errors import refusal
from anonscope.errors import EngineError, MissingExtra, OptionError, shown

_MASTER = re.compile(r"local(\[[^\]]*\])?|spark://.+|yarn|k8s://.+|local-cluster\[.*\]")
_CAUSE = re.compile(r"(?:Exception|Error): (.{1,200})")
_WAIT = 5
# Texts of timestamps must not depend on where somebody sits, and what overflows must not pass for a number.
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    # Of folders named key=value: as text, a postcode keeps its zeros.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Windows-1252 and its like, which Spark 4 otherwise refuses.
    "spark.sql.legacy.javaCharsets": "true",
}
_LOG4J = "rootLogger.level = off\n"


def open_session(session: Any, master: str | None, conf: Mapping[str, str], scratch: Path) -> tuple[Any, bool]:
    """Return a session to work in, and whether it is ours to stop."""
    try:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("Counting on Spark", "'anonscope[spark]'") from None
    if session is None and SparkContext._active_spark_context is not None:
        # One in a process is all that Spark allows: asking for a new one would change the settings of this one.
        session = SparkSession.builder.getOrCreate()
    if session is not None:
        if master is not None or conf:
            raise OptionError("The session of Spark exists already; its master and settings cannot be chosen any more.")
        # The same cluster and data, but settings and names of its own: nothing that the user set is touched.
        try:
            own = session.newSession()
            for key, value in _SETTINGS.items():
                own.conf.set(key, value)
        except Exception as error:
            # Most likely it was stopped.
            raise refusal(error) from None
        return own, False
    return _new(SparkSession, master or "local[*]", conf, scratch), True


def is_local(session: Any) -> bool:
    """Return whether driver and workers are one process, so that they see the same folders."""
    return bool(re.match(r"local(\[|$)", session.sparkContext.master))


def _new(sessions: Any, master: str, conf: Mapping[str, str], scratch: Path) -> Any:
    _check_master(master)
    logging = scratch / "log4j2.properties"
    logging.write_text(_LOG4J, encoding="utf-8")
    cores = os.cpu_count() or 1
    ours = {
        "spark.app.name": "anonscope",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging.as_uri()}",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        **_SETTINGS,
    }
    if master.startswith("local"):
        # Workers are processes of this machine, and need what we have.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        ours |= {
            # Loopback only: nobody else has business with a process of ours.
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": str(4 * cores),
            "spark.driver.memory": f"{_half_of_memory()}m",
        }
    builder = sessions.builder.master(master)
    options = "spark.driver.extraJavaOptions"
    for key, value in {**ours, **conf}.items():
        builder = builder.config(key, f"{ours[options]} {value}" if key == options and key in conf else value)
    try:
        with _silence():
            session = builder.getOrCreate()
            session.range(1).count()
        return session
    except Exception as error:
        raise _unstarted(error, master) from None


def _check_master(master: str) -> None:
    if not _MASTER.fullmatch(master):
        raise OptionError(
            f"{shown(master)} is no master of Spark. Give local[*], spark://host:port, yarn or k8s://…, as spark-submit takes them."
        )
    if master.startswith("spark://"):
        # Spark itself would try for a minute and then fail in a roundabout way.
        for address in master.removeprefix("spark://").split(","):
            host, _, port = address.rpartition(":")
            try:
                socket.create_connection((host, int(port)), timeout=_WAIT).close()
                return
            except (OSError, ValueError):
                continue
        raise EngineError(f"No master of Spark answers at {shown(master)}. Check the address, and that the cluster runs.")


def _unstarted(error: Exception, master: str) -> EngineError:
    text = str(error)
    if "JAVA_GATEWAY_EXITED" in text or "JAVA_HOME" in text or isinstance(error, FileNotFoundError):
        return EngineError("Spark needs Java 17 or later, and none could be started. Install it, or set JAVA_HOME to where it is.")
    # No table has been read yet, so there is nothing in Spark's own words that must not be seen.
    match = _CAUSE.search(text)
    cause = match.group(1).removeprefix("requirement failed: ").strip().rstrip(".") if match else "it does not say why"
    return EngineError(f"Spark could not be started with the master {shown(master)}: {cause}. Check --spark-master and --spark-conf.")


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the other half of Spark from writing to our terminal; what went wrong is told by the error it raises."""
    nowhere, terminal = os.open(os.devnull, os.O_WRONLY), os.dup(2)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(nowhere)
        os.close(terminal)


def _half_of_memory() -> int:
    """Return half of the machine's memory in MB, at least 1 GB."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2048
    return max(1024, memory // 2**21)
