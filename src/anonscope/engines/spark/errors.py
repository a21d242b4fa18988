"""What to say when Spark refuses: its own words quote cells, statements and the stack of its machine, so none of them travel on."""

from anonscope.errors import EngineError

_SIGNS = (
    (
        ("CSV header does not conform", "MALFORMED_RECORD", "MALFORMED_CSV"),
        "The text does not fit together: the headers of its parts differ, or a line has more or fewer values than its header names. "
        "Mend it, or read it with the engine DuckDB, which says where.",
    ),
    (
        ("No module named 'pyarrow'", "No module named 'numpy'"),
        "The Python of Spark's workers lacks pyarrow or numpy. Install them there, or set PYSPARK_PYTHON to one that has them.",
    ),
    (
        ("No module named 'opendp'",),
        "The Python of Spark's workers lacks OpenDP, which --noise-inside needs there. Install opendp on them, or leave the option out.",
    ),
    (("FILE_NOT_EXIST", "FileNotFoundException"), "A file of the table has gone while Spark read it. Run it again on a table at rest."),
    (("FAILED_READ_FILE", "CANNOT_READ_FILE"), "Spark cannot read a file of the table: it is damaged, or not what its name says."),
    (("No space left on device",), "The workers of Spark have no room left on their disks. Make room, or give --spark-staging elsewhere."),
    (
        ("OutOfMemoryError", "SparkOutOfMemoryError", "exceeds spark.driver.maxResultSize"),
        "Spark ran out of memory. Give its workers more with --spark-conf spark.executor.memory=…, or spark.driver.memory in local mode.",
    ),
    (
        ("Connection refused", "Answer from Java side is empty", "stopped SparkContext", "SparkContext was shut down", "Py4JNetworkError"),
        "The connection to Spark was lost, or its session was stopped. Nothing was written; run it again.",
    ),
    (
        ("Checkpoint block", "BLOCK_NOT_FOUND", "Could not find block"),
        "A worker of Spark was lost together with what it had counted. Give --spark-staging a folder that all workers see, "
        "and run it again.",
    ),
    (
        ("Mkdirs failed", "Permission denied", "AccessControlException", "Permission"),
        "Spark may not write to its staging folder, or may not read the table: permission denied.",
    ),
)


def refusal(error: Exception) -> EngineError:
    """Return the error of ours that stands for one of Spark's."""
    text = f"{type(error).__name__} {error}"
    for signs, sentence in _SIGNS:
        if any(sign in text for sign in signs):
            return EngineError(sentence)
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    return EngineError(f"Spark refused a statement ({condition}); its message is withheld, as it may hold data.")
