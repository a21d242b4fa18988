"""Whether a stranger can use the interface: python -m benchmarks.client makes a client from the OpenAPI document and walks with it.

The client is made by openapi-python-client, in an environment of its own (it is fetched from the package index), and shares no code with
anonscope. It sends the sample, audits it, makes a release and downloads it; the verdict is held against the command line's.
"""

import json
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from anonscope.io.samples import write_hospital

_WALK = """
import sys, time
from io import BytesIO
from stranger import AuthenticatedClient
from stranger.api.default import anonymise, audit, audit_report, job, release, suggest, upload
from stranger.models import AnonymiseAsked, AuditAsked, SuggestAsked, UploadBody
from stranger.types import File

base, token, path = sys.argv[1:]

def done(started):
    while started.state in ("queued", "running"):
        time.sleep(0.1)
        started = job.sync(started.id, client=client)
    assert started.state == "done", started
    return started

with AuthenticatedClient(base_url=base, token=token, timeout=120) as client:
    with open(path, "rb") as file:
        table = upload.sync(client=client, body=UploadBody(file=File(payload=BytesIO(file.read()), file_name="patients.csv")))
    done(suggest.sync(table.id, client=client, body=SuggestAsked()))
    done(audit.sync(table.id, client=client, body=AuditAsked(policy="ema-0070")))
    found = audit_report.sync(table.id, "json", client=client)
    print(found["verdict"]["outcome"])
    done(anonymise.sync(table.id, client=client, body=AnonymiseAsked()))
    print(len(release.sync_detailed(table.id, client=client).content.splitlines()) - 1)
"""


def main() -> int:
    """Make the client, walk with it, and say whether it came to what the command line says."""
    with tempfile.TemporaryDirectory(prefix="client-") as name:
        folder = Path(name)
        patients = write_hospital(folder, people=500).patients
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "openapi-python-client"], check=True)
        serving = [sys.executable, "-m", "anonscope", "serve", "--no-browser"]
        with subprocess.Popen(serving, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = next(found for line in server.stdout if (found := re.search(r"(http://[^/]+)/enter\?token=(\S+)", line)))
                return _walked(folder, python, patients, *address.groups())
            finally:
                server.terminate()


def _walked(folder: Path, python: Path, patients: Path, base: str, token: str) -> int:
    import httpx

    document = httpx.get(f"{base}/api/v1/openapi.json", headers={"Authorization": f"Bearer {token}"}, timeout=60)
    (folder / "openapi.json").write_text(document.text)
    making = ["generate", "--path", "openapi.json", "--meta", "none", "--output-path", "stranger"]
    made = subprocess.run([python.with_name("openapi-python-client"), *making], cwd=folder, capture_output=True, text=True, check=True)
    operations = len(list((folder / "stranger" / "api" / "default").glob("[a-z]*.py")))
    print(f"{operations} operations; {(made.stdout + made.stderr).count('WARNING')} of them answer with files, which a client has as bytes")
    (folder / "walk.py").write_text(_WALK)
    walked = subprocess.run([python, "walk.py", base, token, patients], cwd=folder, capture_output=True, text=True, check=True)
    outcome, records = walked.stdout.splitlines()
    command = [
        sys.executable,
        "-m",
        "anonscope",
        "audit",
        str(patients),
        "--accept-suggestions",
        "--policy",
        "ema-0070",
        "--format",
        "json",
    ]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)["verdict"]["outcome"]
    print(f"the client was told {outcome!r}, the command line {told!r}; the release has {records} of 500 records")
    return 0 if outcome == told and int(records) == 500 else 1


if __name__ == "__main__":
    sys.exit(main())
