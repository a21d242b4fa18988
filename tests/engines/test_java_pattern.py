"""A regular expression means in Java, which Spark asks, what it means in RE2, which DuckDB and Arrow ask."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from anonscope.engines.spark.java_pattern import java_pattern, java_replacement

PATTERNS = (
    *(
        r"\d+",
        r"[0-9]{2}",
        r"a.b",
        r"^a",
        r"b$",
        r"\s",
        r"\S+",
        r"[^a-z]",
        r"[]a]",
        r"[a&&b]",
        r"[a[b]",
        r"{",
        r"a{,2}",
        r"(a)(b)?",
        r"(?:x|y)+?",
    ),
    *(r"\.", r"[\s.]", r"[\d-]", r"\$", r"}", r"]", r"\w+", r"[.^$]", r"é|ß"),
)
SUBJECTS = (
    "",
    "a",
    "ab",
    "a\nb",
    "a\rb",
    "b\n",
    "a b\x0b",
    "12345",
    "a&b[]",
    "{a{,2}}",
    "xyxy",
    "a.b$c^",
    "é e\u0301 ß\u2028",
    "😀a1",
    "\u0663",
)


def test_a_pattern_finds_in_java_what_it_finds_in_re2(spark: Any) -> None:
    """Every pattern that is carried over, in every text; those that might differ are not carried over."""
    java = spark.sparkContext._jvm.java.util.regex.Pattern
    replacement = r"<\0$\\1>"
    for pattern in PATTERNS:
        wanted = pc.replace_substring_regex(pa.array(SUBJECTS), pattern=pattern, replacement=replacement).to_pylist()
        compiled = java.compile(java_pattern(pattern))
        found = [compiled.matcher(subject).replaceAll(java_replacement(replacement)) for subject in SUBJECTS]
        assert found == wanted, pattern

    assert [java_pattern(p) for p in (r"\b", "(?i)a", "[[:alpha:]]", r"\pL", r"\v", "(?P<n>a)", r"[\S]", r"\x41", r"\Qa\E")] == [None] * 9
