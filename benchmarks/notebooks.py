"""The notebooks, run from their first cell to their last: python -m benchmarks.notebooks stores what they print.

A cell that ends with an expression shows it, as in a notebook. No kernel is needed: all cells are plain Python.
"""

import ast
import io
import json
import os
import tempfile
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "notebooks"


def notebooks() -> list[Path]:
    """Return the files of all notebooks."""
    return sorted(FOLDER.glob("*.ipynb"))


def printed(path: Path) -> list[str]:
    """Run the code of a notebook in an empty folder, and return what each cell prints."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    with tempfile.TemporaryDirectory() as folder, _working_in(folder):
        return [_run("".join(cell["source"]), names) for cell in cells]


def stored(path: Path) -> list[str]:
    """Return what each cell printed when the notebook was stored."""
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    return ["".join(line for output in cell["outputs"] for line in output["text"]) for cell in cells]


def store(path: Path) -> None:
    """Run a notebook, and store what it prints."""
    document = json.loads(path.read_text(encoding="utf-8"))
    texts = iter(printed(path))
    for number, cell in enumerate((c for c in document["cells"] if c["cell_type"] == "code"), start=1):
        text = next(texts)
        cell["execution_count"] = number
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}] if text else []
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _run(source: str, names: dict[str, Any]) -> str:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(value)
    return out.getvalue()


@contextmanager
def _working_in(folder: str) -> Any:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for notebook in notebooks():
        store(notebook)
        print(notebook.name)
