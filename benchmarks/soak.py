"""Many clients for a long time: python -m benchmarks.soak [--minutes 60] [--clients 20]

Every client uploads a table, audits it, asks what-ifs, anonymises it, fetches the release and has it forgotten, again and again.
Printed are answers of 500 and more, the 95th percentile of a what-if, and the memory of the server over time: what it holds at the end
must not be more than early on, when every client has been through everything.
"""

import argparse
import contextlib
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from benchmarks.printing import Lines, at_most
from benchmarks.web import memory

_ROLES = {"quasi_identifiers": ["age", "sex", "zip"], "sensitive": ["ill"]}


def table(draw: random.Random, records: int = 2_000) -> bytes:
    """Return a table of people as CSV."""
    lines = (f"{draw.randrange(20, 90)},{draw.choice('fm')},0{draw.randrange(1000, 1100)},{draw.choice('abcd')}" for _ in range(records))
    return ("age,sex,zip,ill\n" + "\n".join(lines) + "\n").encode()


class Client:
    """Somebody who works with one table after the other."""

    def __init__(self, base: str, token: str, number: int) -> None:
        self._draw = random.Random(number)
        self._http = httpx.Client(base_url=f"{base}/api/v1/", headers={"Authorization": f"Bearer {token}"}, timeout=120)
        self.statuses: Counter[int] = Counter()
        self.what_ifs: list[float] = []
        self.rounds = 0

    def work(self, until: float) -> None:
        """Go on until the time is up."""
        while time.monotonic() < until:
            try:
                self._round()
            except httpx.HTTPError as error:
                self.statuses[type(error).__name__] += 1  # type: ignore[index]
            self.rounds += 1

    def _round(self) -> None:
        sent = self._ask("POST", "tables", files={"file": ("people.csv", table(self._draw))})
        if sent.status_code != 201:
            return
        at = f"tables/{sent.json()['id']}"
        try:
            self._job("POST", f"{at}/audit", json={"roles": _ROLES, "policy": "research-shared", "plan": False})
            self._job("POST", f"{at}/explorer", json={})
            for _ in range(5):
                began = time.perf_counter()
                self._ask("POST", f"{at}/explore", json={"levels": {"age": self._draw.randrange(3), "zip": self._draw.randrange(3)}})
                self.what_ifs.append(time.perf_counter() - began)
            self._job("POST", f"{at}/anonymise", json={"limits": {"k_anonymity": 5}, "method": "mondrian"})
            self._ask("GET", f"{at}/release.csv")
        finally:
            self._ask("DELETE", at)

    def _ask(self, method: str, path: str, **body: Any) -> httpx.Response:
        answer = self._http.request(method, path, **body)
        self.statuses[answer.status_code] += 1
        return answer

    def _job(self, method: str, path: str, **body: Any) -> None:
        answer = self._ask(method, path, **body)
        while answer.status_code in (200, 202) and answer.json().get("state") in ("waiting", "queued", "running"):
            time.sleep(0.05)
            answer = self._ask("GET", f"jobs/{answer.json()['id']}")


def files_in(folder: str) -> int:
    """Return how many files there are, while others make and delete them."""
    return sum(len(files) for _, _, files in os.walk(folder))


def failures(clients: list[Client]) -> int:
    """Return how many answers were a failure of the server, or none came."""
    counted = [(status, n) for client in clients for status, n in list(client.statuses.items())]
    return sum(n for status, n in counted if not isinstance(status, int) or status >= 500)


def slow(clients: list[Client]) -> float:
    """Return the 95th percentile of the seconds that a what-if took."""
    seconds = sorted(second for client in clients for second in list(client.what_ifs))
    return seconds[int(len(seconds) * 0.95)] if seconds else float("nan")


def main() -> None:
    """Let all work, look at the server's memory meanwhile, and print what was seen."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--clients", type=int, default=20)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        environment = os.environ | {"TMPDIR": folder, "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", "anonscope", "serve", "--no-browser"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                assert server.stdout is not None
                base, token = server.stdout.readline().split()[-1].split("/enter?token=")
                time.sleep(1)
                began = time.monotonic()
                until = began + 60 * given.minutes
                clients = [Client(base, token, number) for number in range(given.clients)]
                threads = [threading.Thread(target=client.work, args=(until,)) for client in clients]
                for thread in threads:
                    thread.start()
                titles = ("minutes", "MB now", "MB at most", "files", "rounds", "failed", "p95 ms")
                lines = Lines("The server so far", titles, first=10)
                held: list[float] = []
                while any(thread.is_alive() for thread in threads):
                    time.sleep(max(1.0, 6 * given.minutes / 2))
                    held.append(memory(server.pid, "VmRSS"))
                    most = f"{memory(server.pid, 'VmHWM'):.0f}"
                    so_far = (files_in(folder), sum(client.rounds for client in clients), failures(clients), f"{1000 * slow(clients):.0f}")
                    lines.add(f"{(time.monotonic() - began) / 60:.1f}", f"{held[-1]:.0f}", most, *so_far)
                for thread in threads:
                    thread.join()
            finally:
                server.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):  # what was measured is told all the same
                    server.wait(300)
                server.kill()
        left = files_in(folder)
    statuses = sum((client.statuses for client in clients), Counter())
    print(f"\n{sum(client.rounds for client in clients)} rounds, answers {dict(statuses)}; 500 and more, or none: {failures(clients)}")
    print(f"what-if, 95th percentile: {1000 * slow(clients):.0f} ms, {at_most(1000 * slow(clients), 500, ' ms')}; files left: {left}")
    print(f"load of the machine: {os.getloadavg()[2]:.1f} over the last 15 minutes, {os.cpu_count()} processors")
    early = max(held[: max(2, len(held) // 5)])
    print(f"memory: {early:.0f} MB early on, {held[-1]:.0f} MB at the end, {at_most(held[-1] / early, 1.1, 'x')}")


if __name__ == "__main__":
    main()
