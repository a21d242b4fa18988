"""Files are read by a process that can be spared: its limits hold, and its death is a sentence."""

import json
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import anonscope as an
from anonscope.errors import NoRecords, OptionError, SourceError
from anonscope.io.sources import apart
from anonscope.io.sources.apart import ReadingLimits, read_apart
from anonscope.io.sources.relation import ReadOptions
from anonscope.io.sources.workbook import TooLarge

PLAIN = ReadOptions()


def table(folder, name="people.csv", content="age,zip\n30,1\n30,1\n"):
    (folder / name).write_text(content)
    return folder / name


def test_what_is_fine_passes_and_the_process_waits_for_the_next(tmp_path):
    """One process serves many files, a fork for each."""
    path = table(tmp_path)
    read_apart(path, PLAIN, ReadingLimits())
    # Other tests in this process may have left some waiting.
    waiting = set(map(id, apart._WAITING))
    read_apart(path, PLAIN, ReadingLimits())
    assert waiting and set(map(id, apart._WAITING)) == waiting


@pytest.mark.parametrize(
    ("content", "options", "kind", "said"),
    [
        ("age,zip\n30,1,2\n", PLAIN, SourceError, "line 2: 3 values"),
        ("age,zip\n", PLAIN, NoRecords, "no records"),
        ("age,zip\n1,2\n", ReadOptions(encoding="klingon"), OptionError, "klingon"),
        ("age,zip\n" + "30,1\n" * 5000 + "canary\n", PLAIN, SourceError, "line 5,002: 1 values"),
    ],
)
def test_what_is_wrong_is_told_as_it_would_be_here(tmp_path, content, options, kind, said):
    """The same error, of the same kind, without a value."""
    with pytest.raises(kind, match=said) as caught:
        read_apart(table(tmp_path, content=content), options, ReadingLimits())
    assert "canary" not in str(caught.value)


def long_texts(path, *, encoded: bool) -> None:
    """Write 1.5 GB as a Parquet file of a few kilobytes: one text of a megabyte, fifteen hundred times."""
    codes = pa.array([0] * 1500, pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 1_000_000]))
    made = pa.table({"note": column, "age": list(range(1500))})
    # Without Arrow's schema in the file, the column comes out as texts.
    parquet.write_table(made, path, compression="zstd", store_schema=encoded)


@pytest.mark.parametrize("encoded", [True, False])
def test_a_small_parquet_file_of_a_gigabyte_and_a_half_is_too_large(tmp_path, encoded):
    """What comes out is counted, however it is packed, and nobody dies of it."""
    path = tmp_path / "long.parquet"
    long_texts(path, encoded=encoded)
    assert path.stat().st_size < 72_000
    with pytest.raises(TooLarge, match="unpacks to more than the limit of 52,428,800 bytes") if encoded else pytest.raises(SourceError):
        read_apart(path, PLAIN, ReadingLimits(unpacked=50 * 2**20, memory=2**30))


def test_memory_time_and_output_have_limits(tmp_path):
    """A file of text that is read for longer than it may, and one that becomes more than may be written."""
    path = table(tmp_path, content="age,zip\n" + "30,1\n" * 2_000_000)
    with pytest.raises(SourceError, match="after 0 seconds there was no end"):
        read_apart(path, PLAIN, ReadingLimits(seconds=0.05))
    odd = table(tmp_path, "odd.csv", 'age,zip\n "30",1\n' + "30,1\n" * 200_000)
    with pytest.raises(SourceError):
        read_apart(odd, PLAIN, ReadingLimits(output=100_000))
    read_apart(odd, PLAIN, ReadingLimits())
    wide = tmp_path / "wide.feather"
    feather.write_feather(pa.table({"x": pa.array(["y" * 100_000] * 4000)}), wide, compression="zstd")
    assert wide.stat().st_size < 2**20
    with pytest.raises(SourceError, match="wide"):
        read_apart(wide, PLAIN, ReadingLimits(memory=2**27))


PROBE = """
import json, os, socket, sys
from anonscope.io.sources import apart_process
apart_process._limit({"memory": 2**30, "seconds": 60, "files": 64, "output": 1000})
found = {"environment": sorted(os.environ)}
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5).close()
    found["network"] = True
except OSError:
    found["network"] = False
try:
    held = [open(os.devnull) for _ in range(100)]
    found["files"] = len(held)
except OSError:
    found["files"] = None
try:
    found["memory"] = len(bytearray(2**31))
except MemoryError:
    found["memory"] = None
print(json.dumps(found))
"""


def test_the_process_has_no_network_and_few_rights():
    """Where the system gives it a network of its own; memory and open files are limited everywhere."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: server.accept(), daemon=True).start()
        port = server.getsockname()[1]
        done = subprocess.run([sys.executable, "-c", PROBE, str(port)], capture_output=True, text=True, check=True, timeout=60)
        found = json.loads(done.stdout)
        if found["network"]:
            may = subprocess.run(["unshare", "--user", "--net", "true"], capture_output=True).returncode == 0
            assert not may
    assert found["files"] is None and found["memory"] is None


def test_a_process_that_is_killed_is_a_sentence_and_the_next_file_is_read(tmp_path):
    """Whoever kills it: the next one starts anew."""
    path = table(tmp_path)
    read_apart(path, PLAIN, ReadingLimits())
    apart._WAITING[0]._process.kill()
    apart._WAITING[0]._process.wait()
    read_apart(path, PLAIN, ReadingLimits())


@pytest.mark.skipif(sys.platform != "linux", reason="the environment of a process is looked up in /proc")
def test_passwords_are_not_handed_on(tmp_path, monkeypatch):
    """The environment of the process has what it needs to start, and no more."""
    monkeypatch.setenv("ANONSCOPE_PASSWORD", "secret-canary")
    apart.close_readers()
    read_apart(table(tmp_path), PLAIN, ReadingLimits())
    assert "canary" not in Path(f"/proc/{apart._WAITING[0]._process.pid}/environ").read_text()


def test_isolate_reads_apart_and_gives_the_same(tmp_path, monkeypatch):
    """In Python and on the command line: the same audit, and the same sentence for what cannot be read."""
    seen = []
    real = apart.keep_apart
    monkeypatch.setattr(apart, "keep_apart", lambda path, *more, **named: (seen.append(path.name), real(path, *more, **named))[1])
    path = table(tmp_path)
    with an.read(path, quasi_identifiers=["age"], isolate=True) as data:
        assert an.audit(data).rows == 2
    assert seen == ["people.csv"]
    done = subprocess.run(
        [sys.executable, "-m", "anonscope", "audit", "-", "-q", "age", "--isolate"],
        input="age,zip\n30,1,7\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2 and "line 2: 3 values" in done.stderr


def test_what_is_worked_with_is_what_the_process_kept_and_not_the_file(tmp_path, monkeypatch):
    """No reader of files runs here: with all of them gone, tables of every kind are the same, types, order, notes and delimiter too."""
    codes = pa.array(["a", "b"] * 50).dictionary_encode()
    feather.write_feather(pa.table({"e": codes, "i": list(range(100)), "f": [1.5, float("nan")] * 50}), tmp_path / "t.feather")
    paths = [table(tmp_path, content="age;zip\n" + "".join(f"{i};0{i % 3}\n" for i in range(3000))), tmp_path / "t.feather"]

    def told(isolate):
        for path in paths:
            with an.read(path, isolate=isolate) as data:
                relation = data.relation
                rows = data.engine.rows(f"SELECT * FROM {relation.origin}")
                yield relation.columns, relation.stored_types, relation.notes, relation.delimiter, relation.delimited, rows

    here = list(told(False))
    monkeypatch.setattr("anonscope.io.sources._open_file", None)
    assert list(told(True)) == here


def test_a_file_that_changed_is_read_again_and_one_that_did_not_is_read_once(tmp_path):
    """By its size, its time and its number; what was kept stands where it was asked for; a file that is refused leaves nothing."""
    path = table(tmp_path)
    kept = tmp_path / "kept"
    kept.mkdir()
    first = apart.keep_apart(path, PLAIN, ReadingLimits(), folder=kept)
    assert apart.keep_apart(path, PLAIN, ReadingLimits(), folder=kept) is first
    table(tmp_path, content="age,zip\n1,2\n3,4\n5,6\n")
    assert apart.keep_apart(path, PLAIN, ReadingLimits(), folder=kept).file != first.file
    table(tmp_path, content="age,zip\n1,2,3\n")
    before = set(kept.iterdir())
    with pytest.raises(SourceError, match="line 2"):
        apart.keep_apart(path, PLAIN, ReadingLimits(), folder=kept)
    assert set(kept.iterdir()) == before
