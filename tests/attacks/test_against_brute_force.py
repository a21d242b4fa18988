"""Small random tables, released at several levels with starred records, attacked by loops over people and records that share no code."""

import numpy as np
import pytest

from attacks.attacking import attack, only, rows_of

KNOWN = ("age", "sex", "zip")


def people(chance, count):
    age, sex, zip_ = chance.integers(0, 24, count), chance.integers(0, 2, count), chance.integers(0, 6, count)
    ill = np.where(chance.random(count) < 0.5, (age // 8 + sex) % 3, chance.integers(0, 3, count))
    return {"age": age.tolist(), "sex": sex.tolist(), "zip": zip_.tolist(), "ill": [f"i{x}" for x in ill]}


def released(table, width, stars):
    def label(name, value, star):
        if star:
            return "*"
        return f"[{value // width * width}-{value // width * width + width - 1}]" if name == "age" and width > 1 else str(value)

    found = {name: [label(name, v, s) for v, s in zip(table[name], stars, strict=True)] for name in KNOWN}
    return {**found, "ill": table["ill"]}


def image(label):
    if label == "*":
        return None
    low, high = label[1:-1].split("-") if label[0] == "[" else (label, label)
    return range(int(low), int(high) + 1)


class Reference:
    """Everything by going through all records for everybody."""

    def __init__(self, release, tables):
        self.records = rows_of(release)
        self.values = {name: {v for table in tables for v in table[name]} for name in KNOWN}
        self.images = [{name: image(record[name]) for name in KNOWN} for record in self.records]
        self.size = [np.prod([self._held(name, one[name]) for name in KNOWN]) for one in self.images]

    def _held(self, name, image):
        return len(self.values[name]) if image is None else max(sum(v in image for v in self.values[name]), 1)

    def candidates(self, person):
        return [j for j, one in enumerate(self.images) if all(one[n] is None or person[n] in one[n] for n in KNOWN)]

    def linked(self, table, *, narrowest):
        hits = []
        for i, person in enumerate(rows_of(table)):
            fit = self.candidates(person)
            if narrowest and fit:
                least = min(self.size[j] for j in fit)
                fit = [j for j in fit if self.size[j] <= least * (1 + 1e-9)]
            hits.append((i in fit) / max(len(fit), 1))
        return np.mean(hits)

    def guessed(self, table):
        hits = []
        for person in rows_of(table):
            weights = {}
            for j in self.candidates(person) or range(len(self.records)):
                fits = bool(self.candidates(person))
                weights[self.records[j]["ill"]] = weights.get(self.records[j]["ill"], 0) + (1 / self.size[j] if fits else 1)
            most = [v for v, w in weights.items() if w >= max(weights.values()) * (1 - 1e-9)]
            hits.append((person["ill"] in most) / len(most))
        return np.mean(hits)


@pytest.mark.parametrize(("seed", "width", "starred"), [(1, 1, 0.0), (2, 4, 0.1), (3, 12, 0.3), (4, 4, 0.3), (5, 1, 0.3)])
def test_success_and_control_are_those_of_the_loops_whatever_the_order(seed, width, starred):
    """Linking among all candidates, by the narrowest ones, and guessing; the interval holds the true risk and has a width."""
    chance = np.random.default_rng(seed)
    original, control = people(chance, 70), people(chance, 50)
    release = released(original, width, chance.random(70) < starred)
    order = chance.permutation(70)
    mixed = [{name: [values[i] for i in order] for name, values in table.items()} for table in (release, original)]
    options = {"know": KNOWN, "sensitive": ["ill"], "paired": True, "attacks": ["linkability", "inference"]}
    found, again = attack(release, original, control, **options), attack(*mixed, control, **options)
    slow = Reference(release, (original, control))
    expected = {
        ("linkability", "candidates"): (slow.linked(original, narrowest=False), 0),
        ("linkability", "nearest"): (slow.linked(original, narrowest=True), 0),
        ("inference", "candidates"): (slow.guessed(original), slow.guessed(control)),
    }

    for (name, variant), (success, outside) in expected.items():
        result = only(found, name, variant)
        assert (result.success, result.control) == (pytest.approx(success), pytest.approx(outside))
        assert result.interval.low <= success - outside <= result.interval.high
        assert result.interval.low < result.interval.high
    assert [r.success for r in found.results] == pytest.approx([r.success for r in again.results])
