"""The tables of an attack, read once: the people of the original and of the control, and every release with who is whose in it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonscope.attacks.candidates import View, agrees
from anonscope.attacks.linkage.images import images_of
from anonscope.attacks.mechanisms import stated_in
from anonscope.attacks.people import Attacked, People, check_control, together
from anonscope.columns.hierarchy import Hierarchy
from anonscope.errors import AttackError, ColumnNotFound, shown
from anonscope.operations.comparing.versions import Compared, Opened, opened
from anonscope.operations.read import Data, engine_limits, read
from anonscope.risk.counting.arrays import Integers
from anonscope.risk.counting.columns import CodedColumn, read_columns


class Tables:
    """The people of an attack, read once for all releases."""

    def __init__(self, original: Data, control: Any, key: str | None) -> None:
        self.notes: tuple[str, ...] = ()
        self.lacking: tuple[str, ...] = ()
        self._original = original
        roles = original.roles
        self.aside = {name for name in (roles.person, roles.weight, roles.household, key) if name is not None} | set(
            roles.direct_identifiers
        )
        names = [name for name in original.columns if name not in self.aside]
        self._key = read_columns(original.engine, original.relation, [key], original.rows)[key] if key is not None else None
        extra = [roles.person] if roles.person is not None else []
        ours = read_columns(original.engine, original.relation, [*names, *extra], original.rows)
        self._control = read(control, **engine_limits(original)) if control is not None else None
        try:
            theirs = None
            if self._control is not None:
                lacking = [name for name in names if name not in self._control.columns]
                if len(lacking) == len(names):
                    raise AttackError("The control has no column of the original, so its people cannot be attacked in the same way.")
                # What the control lacks, nobody is attacked by: both must be attacked in the same way.
                names = [name for name in names if name not in lacking]
                self.lacking = tuple(lacking)
                if lacking:
                    self.notes += (f"The control lacks {len(lacking)} columns of the original, which are left out: {_listed(lacking)}.",)
                extra = [name for name in extra if name in self._control.columns]
                theirs = read_columns(self._control.engine, self._control.relation, [*names, *extra])
            values, codes = together({name: ours[name] for name in [*names, *extra]}, theirs)
        except BaseException:
            self.close()
            raise
        persons = [part.pop(extra[0]) if extra else None for part in codes]
        if roles.person is not None and not extra:
            persons = [ours[roles.person].codes, *persons[1:]]
        values = {name: values[name] for name in names}
        self.values = values
        crowds = [People(part, len(next(iter(part.values()))), None, person) for part, person in zip(codes, persons, strict=True)]
        self.people, self.others = crowds[0], crowds[1] if len(crowds) > 1 else None
        if self.others is not None:
            self.notes += check_control(values, self.people, self.others, names)

    @property
    def control_name(self) -> str | None:
        return self._control.relation.name if self._control is not None else None

    def attacked(
        self, version: Opened, ladders: Mapping[str, Hierarchy], *, key: str | None, paired: bool | None, seed: int, group: str | None
    ) -> tuple[Attacked, str, tuple[str, ...]]:
        """Return a release with these people, its name, and what is to be said of it."""
        with read(version.source, recipe=version.recipe, **engine_limits(self._original)) as data:
            names = [name for name in data.columns if name in self.values]
            if not names:
                raise AttackError(
                    f"The release ({len(data.columns)} columns) and the original ({len(self.values)} columns) have no column in common, so "
                    "nothing that is known of people can be looked for. Columns must have the same names in both."
                )
            columns = read_columns(data.engine, data.relation, names)
            told = images_of(names, version.recipe, {c: h for c, h in ladders.items() if c in names}, data.perturbed)
            keys = read_columns(data.engine, data.relation, [key])[key] if key is not None and key in data.columns else None
            perturbed = tuple(name for name in data.perturbed if name in names)
            name = data.relation.name
        if group is not None and group not in self.values:
            raise ColumnNotFound(group, tuple(self.values))
        stated = stated_in(version.recipe, perturbed)
        found = Attacked(columns, self.values, self.people, self.others, told, perturbed, seed, group, stated)
        released, note = _pairing(found, self._key, keys, paired)
        # Who is whose tells what labels replaced: they are read anew.
        return replace(found, original=replace(self.people, released=released), readings={}), name, note

    def close(self) -> None:
        if self._control is not None:
            self._control.close()

    def __enter__(self) -> "Tables":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _pairing(
    attacked: Attacked, ours: CodedColumn | None, theirs: CodedColumn | None, paired: bool | None
) -> tuple[Integers | None, tuple[str, ...]]:
    """Return the released record of everybody, and how that is known."""
    if ours is not None:
        if theirs is None:
            raise AttackError("The release lacks the key, so nobody knows which record belongs to whom by it. Leave the key out.")
        place = {text: i for i, text in enumerate(theirs.values)}
        row = np.full(len(theirs.values) + 1, -1, dtype=np.int64)
        row[theirs.codes] = np.arange(len(theirs.codes))
        row[0] = -1
        lookup = np.array([place.get(text, len(theirs.values)) if text is not None else 0 for text in ours.values])
        return row[lookup[ours.codes]], ("Records are paired by the key.",)
    same = attacked.released == attacked.original.records
    if paired and not same:
        raise AttackError(
            f"The release has {attacked.released:,} records and the original {attacked.original.records:,}, so they cannot be paired by "
            "their order. Name a column that tells records apart in both (--key COLUMN, key=...)."
        )
    if paired is False or not same:
        why = "" if paired is False else " because the tables differ in length"
        return None, (f"Nobody knows which released record belongs to whom{why}; what needs it is not measured.",)
    if paired is None and not _beside(attacked):
        return None, (
            "Records of release and original agree no better in their order than by chance, so they are not taken to be the same "
            "people's; what needs that is not measured.",
        )
    return np.arange(attacked.released), ("Records are paired by their order.",)


def _beside(attacked: Attacked) -> bool:
    """Whether records of both tables agree in their order, cell by cell, better than in any other."""
    rows = np.arange(0, attacked.released, max(1, attacked.released // 2000))
    agreed, chance = [], []
    for name in attacked.columns:
        view = View(attacked, (name,), as_written=True)
        labels, values = attacked.release[name].codes[rows], attacked.original.codes[name][rows]
        agreed.append(float(agrees(view, 0, labels, values).mean()))
        # Beside somebody else, a few places on in turn.
        chance.append(float(np.mean([agrees(view, 0, labels, np.roll(values, shift)).mean() for shift in (1, 7, 31, 101)])))
    together_, apart = float(np.mean(agreed)), float(np.mean(chance))
    return together_ > apart + 0.1 * (1 - apart) or together_ > 1 - 1e-9


def read_people(release: Compared, original: Data, *, control: Any = None, seed: int = 1) -> Attacked:
    """Return a release and its people in codes, records paired by their order, for those who attack in a way of their own."""
    with Tables(original, control, None) as tables:
        found, _, _ = tables.attacked(opened(release), {}, key=None, paired=True, seed=seed, group=None)
        return found


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return ", ".join(map(shown, names[:6])) + more
