"""Reports speak to people: no keys of ours, no bare symbols, no numbers that only a machine writes, whatever the result and the format."""

import ast
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

import anonscope
from anonscope.io.figures import different, figure, number
from anonscope.report.words import without_options
from anonscope.risk.metrics import METRICS
from benchmarks.pages import VERBS

KEYS = "|".join(name for name in METRICS if "_" in name)
FORBIDDEN = {
    "a paper of ours": r"\b[Pp]aper \d",
    "a currency that nobody asked about": r"Korean won|\bwon\b",
    "a name of a variable": r"suda_score|uFMRMR =|\bncp\b(?! *=)",
    "a power of ten": r"(?<![\w.-])\d+(\.\d+)?e[-+]?\d+",
    "digits without end": r"\d\.\d{10,}",
    "an escaped character": r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}",
    "a symbol without its name": r"(?<!uniqueness )R_uq|(?<!uniformity )R_uf|(?<!correlation )R_co|(?<!risk )R_mm|(?<!risk )ITPR(?! =)",
    # In a command or a recipe a key stands behind a sign, and is meant to be typed.
    "a key of a metric": rf'(?<![\w"=.-])(?<!--limit )({KEYS})(?![\w"=])',
    "not a number": r"\bnan\b|\binf\b|[=:(] ?None\b",
}
OPTION = re.compile(r"(?<![\w-])--[a-z]|(?<![\w-])-[a-z] (?:COLUMN|FILE)")
SOURCE = Path(anonscope.__file__).parent
# What no browser shows: the terminal's own, what a server is started with, engines and sources that no upload uses, the words of options,
# commands and files that are there to be typed or copied.
TERMINAL = (
    "cli",
    "web/settings.py",
    "web/allowed.py",
    "web/project/project.py",
    "engines/spark",
    "engines/database",
    "engines/choice.py",
    "io/sources/spark.py",
    "io/sources/parts.py",
    "io/writing.py",
    "io/placing.py",
    "operations/wishes",
    "operations/planning/command.py",
    "operations/planning/telling.py",
    "report/screen.py",
    "report/audit/first_screen.py",
    "report/audit/text.py",
    "transform/release/writing.py",
    "operations/publishing/elsewhere.py",
    "operations/signing/intruding.py",
    "operations/seal.py",
    "operations/hierarchy.py",
    "operations/fragment.py",
    "synthesis/inside.py",
)
# Of others: sentences that only a terminal or a program can meet.
NOT_ON_A_PAGE = (
    "read by: anonscope",
    "Read by: anonscope",
    "noise_inside",
    "explain=True",
    "as_planned",
    "copy the --method",
    "as --control",
    "anonscope serve --",
    "--format json",  # of the description of the interface, which is for programs
    "--acknowledge …=REASON",  # put into brackets one line below
)
CITED = re.compile(r"\b[Tt]able \d")


def _read(result, format):
    """Return what a reader sees; what is to be copied (commands, recipes) and formulas of definitions are not meant."""
    text = result.render(format)
    if format in ("html", "fragment"):
        text = re.sub(r"<style>.*?</style>|<pre>.*?</pre>", " ", text, flags=re.DOTALL)
        text = unescape(re.sub(r"<[^>]+>", " ", text))
    else:
        text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL).replace("\\_", "_")
    text = re.sub(r"\b[0-9a-f]{64}\b", " ", text)
    for metric in METRICS.values():
        text = text.replace(metric.formula, " ").replace(metric.source, " ")
    return text


@pytest.mark.parametrize("format", ["text", "markdown", "html", "fragment"])
@pytest.mark.parametrize("verb", VERBS)
def test_no_report_shows_how_it_is_made(results, verb, format):
    """Every verb, every format."""
    result = results[verb]
    assert not isinstance(result, Exception), str(result)
    text = _read(result, format)

    found = {
        what: sorted({text[max(m.start() - 30, 0) : m.end() + 30] for m in re.finditer(rule, text)})[:3] for what, rule in FORBIDDEN.items()
    }
    assert {what: where for what, where in found.items() if where} == {}
    uncited = [
        text[max(m.start() - 80, 0) : m.end()]
        for m in CITED.finditer(text)
        if not re.search(r"(19|20)\d\d", text[max(m.start() - 80, 0) : m.end()])
    ]
    assert uncited == []


@pytest.mark.parametrize("verb", VERBS)
def test_no_page_names_an_option(results, verb):
    """What is to be typed means nothing in a browser; commands that are there to be copied stay whole."""
    page = results[verb].render("html")
    seen = unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>|<pre>.*?</pre>", " ", page, flags=re.DOTALL)))

    assert [seen[max(m.start() - 60, 0) : m.end() + 20] for m in OPTION.finditer(seen)] == []
    assert "<pre>" not in page or verb not in ("audit", "plan") or OPTION.search("".join(re.findall(r"<pre>.*?</pre>", page, re.DOTALL)))


def test_every_option_stands_in_brackets():
    """A sentence that a page may show says all without what stands in them: read from the source, so that rare ones are held to it too."""
    named = []
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if any(place == one or place.startswith(f"{one}/") for one in TERMINAL):
            continue
        for line, text in _sentences(path):
            if OPTION.search(without_options(text)) and not any(known in text for known in NOT_ON_A_PAGE):
                named.append(f"{place}:{line}: {text[:120]}")

    assert named == []


def _sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield texts of more than one word that are no docstrings; what is filled in later is a sign."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    inner |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr():
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
            case ast.Constant(value=str(text)) if id(node) not in inner:
                pass
            case _:
                continue
        if " " in text.strip():
            yield node.lineno, text


def test_what_is_typed_is_left_out_of_a_sentence():
    """Brackets with other words stay, and so do names in them."""
    said = "Name them (--key COLUMN, key=...), or both (age and (sex)). Say so (-q age -q zip), see (anonscope plan --seconds 9)."

    assert without_options(said) == "Name them, or both (age and (sex)). Say so, see."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (48840.123, "48,840"),
        (6.9e24, "over 10¹⁵"),
        (20_925_693_859_020.4, "20,930 billion"),
        (-1_234_567_890, "-1.235 billion"),
        (1.943e-16, "< 0.0001"),
        (-2e-7, "> -0.0001"),
        (0.49981, "0.4998"),
        (3, "3"),
        (None, "—"),
    ],
)
def test_figures_of_any_size_can_be_read(value, text):
    """Four digits that count, never a power of ten."""
    assert figure(value) == text


def test_large_and_tiny_scores_can_be_read():
    """A score beyond a thousand has no decimals; what is left of rounding is neither a number nor a minus."""
    assert (number(48840.123), number(167.99999999999997), number(-1e-17)) == ("48,840", "168.0", "> -0.001")
    assert (different(3.09e-16, 0.5), different(0.49981, 0.5), different(0.7999999999999999, 0.8)) == ("0", "0.4998", "0.8")


def test_a_space_that_does_not_break_is_a_space():
    """Names out of office programs have them."""
    from anonscope.report.words import legible

    assert legible("Zip\xa0Code\u2009(3)") == "Zip Code (3)" and legible("a\x1bb") == "a\\x1bb"
