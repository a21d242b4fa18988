"""The dossier of the bundled sample, signed: python -m benchmarks.dossier [FOLDER], and its pages as pictures.

The sample is released with a register, a motivated intruder test is set up and judged, everything is signed off in both editions, and
sealed with a key that is thrown away; what is written is verified again.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ANSWERS = Path(__file__).with_name("dossier_answers.toml")
NAME = "An invented data protection officer"


def run(*said: str, folder: Path) -> None:
    """Run a command as people do, and stop where it does not say yes."""
    done = subprocess.run([sys.executable, "-m", "anonscope", *said], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(said)}: {done.stdout}{done.stderr}")


def filled_in(form: Path) -> None:
    """Fill in the form of an intruder test as of somebody who tried ten records and found nobody: an example, and it says so."""
    text = form.read_text(encoding="utf-8")
    for i in range(1, 21):
        text = text.replace(f'R{i} = ""', f'R{i} = "{"no claim" if i <= 10 else "not tried"}"').replace(f'P{i} = ""', f'P{i} = "not tried"')
    told = {"intruder": "nobody: an example of how a form is filled in", "hours": "0", "judged_by": NAME}
    for key, word in told.items():
        text = text.replace(f'{key} = ""', f'{key} = "{word}"')
    form.write_text(text, encoding="utf-8")


def make(folder: Path) -> None:
    """Make the release, the test, the dossiers and their seals in a folder."""
    run("demo", "--folder", ".", folder=folder)
    shutil.copy(ANSWERS, folder / "answers.toml")
    (folder / "releases").mkdir()
    register = ("--register", "releases", "--population-name", "patients", "--recipient", "University", "--review", "2027-11-01")
    run(
        "anonymise", "patients.csv", "--roles", "patients.roles.toml", "--policy", "ema-0070", "-o", "release.csv", *register, folder=folder
    )
    tested = ("--original", "patients.csv", "--roles", "patients.roles.toml", "--folder", "test", "--seed", "1")
    run("intruder-test", "release.csv", *tested, folder=folder)
    filled_in(folder / "test" / "outcome.toml")
    tables = ("--original", "patients.csv", "--roles", "patients.roles.toml", "--control", "others.csv", "--external", "voters.csv")
    asked = (*tables, "--external-column", "age=age_at_election", "--answers", "answers.toml", "--intruder-test", "test")
    run("seal", "keygen", "officer.key", folder=folder)
    for edition, ending in (("internal", "pdf"), ("publishable", "html"), ("publishable", "pdf")):
        name = f"dossier-{edition}.{ending}"
        run("sign-off", "release.csv", *asked, "--edition", edition, "-o", name, folder=folder)
        run("seal", "sign", name, "--also", "release.csv", "--key", "officer.key", "--name", NAME, folder=folder)
        run("verify", name, "--signer", "officer.key.pub", folder=folder)


def pictures(document: Path, to: Path) -> None:
    """Draw the first pages of a PDF."""
    for page in (1, 6, 7):
        target = to / f"dossier-{page}"
        subprocess.run(["pdftoppm", "-r", "70", "-f", str(page), "-l", str(page), "-singlefile", "-png", document, target], check=True)


def main() -> None:
    """Make all of it, and keep what may be shown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dossier", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[1] / "docs" / "dossier")
    to = parser.parse_args().folder
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make(folder)
        kept = ("release.csv.manifest.json", "answers.toml", "officer.key.pub")
        shown = ("dossier-publishable.html", "dossier-publishable.pdf")
        for name in (*kept, *shown, *(f"{one}.sig" for one in shown)):
            shutil.copy(folder / name, to / name)
        pictures(folder / "dossier-publishable.pdf", to)
    print(f"Written to {to}.")


if __name__ == "__main__":
    main()
