"""Train the tables of letters that tell people's names from places and other words: `python -m benchmarks.train_names`.

Needs faker (MIT) and scikit-learn, on the machine that trains only: `pip install faker scikit-learn`. Writes `names.bin`, eight-bit weights
of hashed runs of letters, and `names.toml`, which says where they come from, into the lexicon; with `--other-letters` the same for all
letters but Latin ones (`other_names.bin`, `other_names.toml`). What is printed are the shares of
held-out words, one in ten by their hash, that are told right, and of held-out groups of 20 words of one kind, which is how columns are
judged. Same faker, same table: nothing is drawn.
"""

import argparse
import importlib
import pkgutil
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anonscope.columns.suggestion.letters import CLASSES, LATIN, OTHER, WORD, Letters, is_latin, pieces
from anonscope.columns.suggestion.terms import plain, read, value_words

FOLDER = Path(__file__).parents[1] / "src" / "anonscope" / "columns" / "suggestion" / "lexicon"
_LATIN = re.compile(r"[a-z]+(?:['-][a-z]+)*")
# Where names are written without a blank between family and given name, full names are what columns hold.
_UNSPACED = ("zh_CN", "zh_TW", "ja_JP", "ko_KR")
_FULL_NAMES = 3_000
# A list of so many words counts in full; of a longer one each word counts less, or one country's villages would drown its surnames.
_LIST = 500
# Which lists of faker's providers hold what.
_LISTS = {
    "name": (("person", r".*(first|last)_names.*"),),
    "place": (
        (
            "address",
            r"cit(y|ies)(_names?)?|states?|provinces?|countries|regions?|departments?|municipalities.*|counties|districts.*|communes.*"
            r"|towns?|villages?|.*localities.*|cantons?|places.*|prefectures|settlement.*",
        ),
    ),
    "word": (("job", r".*"), ("lorem", r"word_list"), ("company", r"(catch|bs|company|large|noun|adj|verb).*"), ("color", r"all_colors")),
}


def texts(found: Any) -> Iterator[str]:
    """Yield every text in nested lists; of a mapping its keys, which are what faker weighs."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, (list, tuple, set, dict)):
        for part in found:
            yield from texts(part)


def words_in(text: str, letters: Letters) -> Iterator[str]:
    """Yield the words of a text that are in these letters, in lower case without accents."""
    if letters is LATIN:
        yield from (word for word in _LATIN.findall(plain(text)) if len(word) > 1)
    else:
        yield from (word for word in map(plain, WORD.findall(text)) if len(word) > 1 and not is_latin(word))


def full_names(provider: Any, letters: Letters) -> set[str]:
    """Return family and given names in one word, each given name with several family names that its hash chooses."""
    lists = {
        part: sorted({t for a in dir(provider) if re.fullmatch(rf".*{part}_names.*", a) for t in texts(getattr(provider, a))})
        for part in ("first", "last")
    }
    family, given = ([t for t in lists[part] if not is_latin(t)] for part in ("last", "first"))
    if not family or not given or letters is LATIN:
        return set()
    each = max(1, _FULL_NAMES // len(given))
    return {plain(family[zlib.crc32(f"{g}{i}".encode()) % len(family)] + g) for g in given for i in range(each)}


def listed(kind: str, wanted: str, letters: Letters) -> dict[str, float]:
    """Return the words of faker's lists of one kind, in these letters without accents, and what each counts, less in long lists."""
    words: dict[str, float] = {}
    base = importlib.import_module(f"faker.providers.{kind}")
    for found in pkgutil.iter_modules(base.__path__):
        provider = getattr(importlib.import_module(f"faker.providers.{kind}.{found.name}"), "Provider", None)
        own: set[str] = set()
        for attribute in dir(provider):
            values = getattr(provider, attribute)
            if re.fullmatch(wanted, attribute) and isinstance(values, (list, tuple, dict, set)):
                for text in texts(values):
                    if "{{" not in text:
                        own.update(words_in(text, letters))
        if kind == "person" and found.name in _UNSPACED:
            own |= full_names(provider, letters)
        for word in own:
            words[word] = max(words.get(word, 0.0), min(1.0, (_LIST / len(own)) ** 0.5))
    return words


def words_by_class(letters: Letters) -> dict[str, dict[str, float]]:
    """Return the words of every class; a word that is a name somewhere is a name, and one of our own lexicon is a word."""
    found: dict[str, dict[str, float]] = {}
    for label, lists in _LISTS.items():
        for kind, wanted in lists:
            found.setdefault(label, {}).update(listed(kind, wanted, letters))
    own: set[str] = set()
    if letters is LATIN:
        own = {
            word for entry in value_words() for text in (*entry.words, *entry.beginnings, *entry.endings) for word in _LATIN.findall(text)
        }
        own |= {word for line in read("drugs")["names"].values() for word in line.split()}
    names, places, words = found["name"], found["place"], found["word"]
    words = {word: weight for word, weight in words.items() if word not in names and word not in places}
    words |= {word: 1.0 for word in own if len(word) > 2 and word not in names}
    places = {word: weight for word, weight in places.items() if word not in names and word not in words}
    return {"name": names, "place": places, "word": words}


def main() -> None:
    """Train, print what was reached, and write the table."""
    import faker
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--other-letters", action="store_true")
    letters = OTHER if parser.parse_args().other_letters else LATIN
    classes = words_by_class(letters)
    samples = sorted((word, CLASSES.index(label), weight) for label, words in classes.items() for word, weight in words.items())
    held = np.array([zlib.crc32(b"held" + word.encode()) % 10 == 0 for word, _, _ in samples])
    rows = [np.array(pieces(word, letters)) for word, _, _ in samples]
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    matrix = csr_matrix((np.ones(pointers[-1]), np.concatenate(rows), pointers), shape=(len(rows), letters.buckets))
    matrix.data /= np.repeat(np.diff(pointers), np.diff(pointers))
    labels = np.array([label for _, label, _ in samples])
    counts = np.array([weight for _, _, weight in samples])
    for label in range(len(CLASSES)):
        counts[labels == label] *= len(samples) / (len(CLASSES) * counts[labels == label].sum())
    model = LogisticRegression(C=300.0, max_iter=300).fit(matrix[~held], labels[~held], counts[~held])
    scale = float(np.abs(model.coef_).max()) / 127
    weights = np.round(model.coef_ / scale).astype(np.int8)
    scores = matrix[held] @ (weights.T * scale) + model.intercept_
    right = {name: float(np.mean(scores[labels[held] == i].argmax(axis=1) == i)) for i, name in enumerate(CLASSES)}
    print("held-out words:", {name: round(share, 3) for name, share in right.items()})
    drawn = np.random.default_rng(7)
    for i, name in enumerate(CLASSES):
        mine = scores[labels[held] == i]
        groups = [mine[drawn.choice(len(mine), 20, replace=False)].mean(axis=0).argmax() for _ in range(500)]
        print(f"held-out groups of 20, {name}: {np.mean(np.array(groups) == i):.3f}")
    also = "; and words of this lexicon" if letters is LATIN else ""
    (FOLDER / f"{letters.file}.bin").write_bytes(weights.tobytes())
    (FOLDER / f"{letters.file}.toml").write_text(
        f"# How runs of letters speak for a person's name, a place or another word: {letters.file}.bin holds one signed byte a class and\n"
        f"# bucket. Made by `python -m benchmarks.train_names{letters.option}`; do not edit.\n"
        f"# Source: the word lists of faker {faker.VERSION} (MIT licence, joke2k and contributors), in {len(CLASSES)} classes and\n"
        f"# {letters.title}{also}. No list is copied: what is here are weights.\n"
        f"scale = {scale!r}\nintercepts = {[round(float(x), 6) for x in model.intercept_]!r}\n"
        f"words = {len(samples)}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
