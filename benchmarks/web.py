"""Twenty uploads of 50 MB at once: how long they take, and how much memory the server needs for them.

python benchmarks/web.py [--uploads 20] [--megabytes 50]
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx


def memory(process: int, key: str) -> float:
    """Return the memory of a process in MB, as Linux tells it."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


def pieces(megabytes: int, number: int):
    """Yield a form with a CSV file of about so many megabytes, piece by piece."""
    yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="people-%d.csv"\r\n\r\nage,sex,zip,note\n' % number
    piece = b"".join(b"%d,%s,%05d,%08d\n" % (i % 97, b"fm"[i % 2 : i % 2 + 1], i % 9973, i) for i in range(50_000))
    for _ in range(megabytes * 2**20 // len(piece)):
        yield piece
    yield b"\r\n--x--\r\n"


def upload(base: str, token: str, megabytes: int, number: int) -> float:
    """Send one file, and return the seconds it took."""
    started = time.perf_counter()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "multipart/form-data; boundary=x"}
    answer = httpx.post(f"{base}/api/v1/tables", content=pieces(megabytes, number), headers=headers, timeout=600)
    assert answer.status_code == 201, answer.text
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=50)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "anonscope", "serve", "--no-browser"]
        environment = os.environ | {"TMPDIR": folder, "PYTHONUNBUFFERED": "1"}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            try:
                base, token = process.stdout.readline().split()[-1].split("/enter?token=")
                time.sleep(1)
                upload(base, token, 1, 0)
                before = memory(process.pid, "VmRSS")
                started = time.perf_counter()
                with ThreadPoolExecutor(asked.uploads) as pool:
                    times = list(pool.map(lambda number: upload(base, token, asked.megabytes, number), range(asked.uploads)))
                whole = time.perf_counter() - started
                peak, after = memory(process.pid, "VmHWM"), memory(process.pid, "VmRSS")
            finally:
                process.terminate()
                process.wait(30)
        left = [path for path in Path(folder).rglob("*") if path.is_file()]
    print(f"{asked.uploads} uploads of {asked.megabytes} MB at once: {whole:.1f} s, slowest {max(times):.1f} s")
    print(f"memory of the server: {before:.0f} MB before, {peak:.0f} MB at its peak, {after:.0f} MB after; files left behind: {len(left)}")


if __name__ == "__main__":
    main()
