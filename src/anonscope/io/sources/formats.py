"""Which format a file has: what its bytes say, then its name."""

from pathlib import Path

from anonscope.errors import SourceError, shown

_SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "excel",
    ".xls": "excel",
    ".xlsb": "excel",
    ".ods": "excel",
}


def format_of(path: Path, head: bytes, name: str) -> str:
    """Return the format of a file: what the bytes say counts more than the name; the name decides between kinds of text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")):
        return "arrow"
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return "excel"
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    by_name = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if by_name in ("csv", "tsv", "jsonl"):
        return by_name
    if by_name is not None:
        raise SourceError(f"{shown(name)} is not a readable {by_name} file, whatever its name says.")
    return "jsonl" if head.lstrip().startswith(b"{") else "csv"
