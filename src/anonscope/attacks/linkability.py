"""Linkability: which released record is this person's?

The attacker holds a table of people, the original's own columns with stated errors, and names a record for everybody. Three ways:
*candidates* draws one of all records that the person may be (what `link` counts); *nearest* takes the record that disagrees in the fewest
columns and says most, so it also follows people into perturbed releases; *assignment* knows that nobody has two records and pairs all
people of the table with the records at once, at least cost (H. W. Kuhn 1955, "The Hungarian method"; G. T. Duncan and D. Lambert 1989,
JBES 7(2), for the intruder), within blocks of people who may be the same records. Equally good records count by expectation.
Nobody outside the release has a record in it, so the control's success is 0 by construction; what the control shows is how often the
attacker would have claimed a link all the same.
"""

from time import process_time

import numpy as np

from anonscope.attacks.attacker import Attacker, as_known
from anonscope.attacks.candidates import Distinct, Pairs, View, agrees, distinct, made_up, unread_records
from anonscope.attacks.people import Attacked, People, group_names, groups_of
from anonscope.attacks.success import Success, Trials, measured, not_measured
from anonscope.errors import shown
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import numbered

NAME = "linkability"
# With more people than this only the targets are assigned, and compete with each other alone.
MOST_ASSIGNED = 50_000
TEMPERATURE = 0.05
ROUNDS = 60


def link_people(attacked: Attacked, attacker: Attacker, people: People, control: People | None) -> tuple[Success, ...]:
    """Return how often the attacker names the right record, in three ways, and how much a single match proves."""
    start = process_time()
    if people.released is None and attacked.perturbed:
        reason = "nobody knows which released record belongs to whom, and values were perturbed"
        return tuple(not_measured(NAME, variant, attacker, reason) for variant in ("candidates", "nearest", "assignment"))
    if people.released is None and (riddles := [name for name in attacker.columns if unread_records(attacked, name)]):
        # Taken for anything such records would be candidates for everybody, and the risk would look smaller than it is.
        reason = f"labels of {', '.join(map(shown, riddles))} are explained by nothing, and nobody knows which record belongs to whom"
        return tuple(not_measured(NAME, variant, attacker, reason) for variant in ("candidates", "nearest", "assignment"))
    groups = groups_of(attacked, people, attacker.columns, inside=True)
    known = as_known(attacker, attacked, people)
    truthful = View(attacked, attacker.columns, attacker.within)
    tuples = distinct(attacked, known, attacker.columns)
    counts = truthful.counts(tuples)[tuples.tuple_of]
    others = None
    outside = np.zeros(0)
    if control is not None:
        strangers = as_known(attacker, attacked, control)
        theirs = distinct(attacked, strangers, attacker.columns)
        outside = truthful.counts(theirs)[theirs.tuple_of]
        others = Trials(np.zeros(control.records), groups_of(attacked, control, attacker.columns, inside=False), control.person)
    found = []
    hits = chosen_by_lot(truthful, tuples, people, counts)
    figures = {"no_candidate": float((counts == 0).mean()), "one_candidate": float((counts == 1).mean())}
    if control is not None:
        figures["control_claims"] = float(np.divide(1, outside, out=np.zeros(len(outside)), where=outside > 0).mean())
        figures["control_one_candidate"] = float((outside == 1).mean())
    notes = () if people.released is not None else ("The right record is taken to be among the candidates, as in a release that is true.",)

    def result(variant: str, hits: Floats, started: float, more: dict[str, float] | None = None) -> Success:
        return measured(
            attack=NAME,
            variant=variant,
            attacker=attacker.name,
            columns=attacker.columns,
            targets=Trials(hits, groups, people.person),
            control=others,
            baseline=1 / attacked.released,
            names=group_names(attacked),
            attempt=attacker.chance,
            figures=more,
            notes=notes,
            cpu_seconds=process_time() - started,
        )

    found.append(result("candidates", hits, start, figures))
    if people.released is None:
        reason = "nobody knows which released record belongs to whom; pair the records by a key or by their order"
        return (*found, *(not_measured(NAME, variant, attacker, reason) for variant in ("nearest", "assignment")))
    start = process_time()
    disturbed = any(made_up(attacked, name) for name in attacker.columns)
    view = View(attacked, attacker.columns, attacker.within, as_written=True) if disturbed else truthful
    pairs = view.nearest(tuples)
    hits = own_among(view, tuples, people, pairs)
    found.append(result("nearest", hits, start))
    start = process_time()
    hits, everybody = _assignment(view, attacked, attacker, people)
    found.append(result("assignment", hits, start, {"everybody_assigned": float(everybody)}))
    return tuple(found)


def proof(attacked: Attacked, attacker: Attacker, people: People, control: People) -> Success:
    """Return how much more often somebody in the release has exactly one candidate than somebody who is not."""
    start = process_time()
    view = View(attacked, attacker.columns, attacker.within)
    trials = []
    for crowd in (people, control):
        tuples = distinct(attacked, as_known(attacker, attacked, crowd), attacker.columns)
        trials.append(Trials((view.counts(tuples)[tuples.tuple_of] == 1).astype(float), None, crowd.person))
    return measured(
        attack=NAME,
        variant="single match",
        attacker=attacker.name,
        columns=attacker.columns,
        targets=trials[0],
        control=trials[1],
        baseline=None,
        attempt=attacker.chance,
        notes=("How often there is exactly one candidate, right or wrong: what the control has too, a single match does not prove.",),
        cpu_seconds=process_time() - start,
    )


def chosen_by_lot(view: View, tuples: Distinct, people: People, counts: Floats) -> Floats:
    """Return one over the number of candidates where the right record is among them."""
    share = np.divide(1, counts, out=np.zeros(len(counts)), where=counts > 0)
    if people.released is None:
        return share
    right = people.released >= 0
    rows = np.maximum(people.released, 0)
    for i, name in enumerate(view.columns):
        right &= agrees(view, i, view.attacked.release[name].codes[rows], tuples.codes[i][tuples.tuple_of])
    return np.where(right, share, 0.0)


def own_among(view: View, tuples: Distinct, people: People, pairs: Pairs) -> Floats:
    """Return how likely one drawn of the best records is the person's own."""
    assert people.released is not None
    records = np.bincount(pairs.person, weights=view.n[pairs.group], minlength=tuples.count)
    width = len(view.n)
    known = np.sort(pairs.person.astype(np.int64) * width + pairs.group)
    own = np.where(people.released >= 0, view.class_of[np.maximum(people.released, 0)], -1)
    wanted = tuples.tuple_of.astype(np.int64) * width + own
    place = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    right = (own >= 0) & (known[place] == wanted) if len(known) else np.zeros(len(own), dtype=bool)
    every = records[tuples.tuple_of]
    return np.where(right, np.divide(1, every, out=np.zeros(len(every)), where=every > 0), 0.0)


def assigned(pairs: Pairs, people: Integers, records: Integers) -> Floats:
    """Return how many of each kind of people get a record of each class, pair by pair: everybody at most one, and no record twice.

    Of all assignments the cheap ones are likely; their mean is found by scaling rows and columns in turn (M. Cuturi 2013, "Sinkhorn
    distances", NeurIPS). It does not hang on any order, and where the cheapest assignment stands alone it is that one.
    """
    flow = np.zeros(len(pairs.person))
    if not len(flow):
        return flow
    row_scale, column_scale = np.ones(len(people)), np.ones(len(records))
    # Everybody's own best is the measure, so that people whom nothing fits well are assigned too.
    best = np.full(len(people), np.inf)
    np.minimum.at(best, pairs.person, pairs.score)
    weight = records[pairs.group] * np.exp(-np.minimum((pairs.score - best[pairs.person]) / TEMPERATURE, 200))
    for _ in range(ROUNDS):
        rows = np.bincount(pairs.person, weights=weight * column_scale[pairs.group], minlength=len(people))
        row_scale = np.divide(people, rows, out=np.zeros(len(people)), where=rows > 0)
        columns = np.bincount(pairs.group, weights=weight * row_scale[pairs.person], minlength=len(records))
        column_scale = np.minimum(1.0, np.divide(records, columns, out=np.ones(len(records)), where=columns > 0))
    found: Floats = weight * row_scale[pairs.person] * column_scale[pairs.group]
    return found


def _assignment(view: View, attacked: Attacked, attacker: Attacker, people: People) -> tuple[Floats, bool]:
    """Return the success of one who assigns all people of the original at once, and whether it was all of them."""
    assert people.released is not None
    everybody = attacked.original.records <= MOST_ASSIGNED
    crowd = as_known(attacker, attacked, attacked.original) if everybody else as_known(attacker, attacked, people)
    tuples = distinct(attacked, crowd, attacker.columns)
    pairs = view.near(tuples)
    flow = assigned(pairs, tuples.n.astype(float), view.n.astype(float))
    width = len(view.n)
    known = pairs.person.astype(np.int64) * width + pairs.group
    # Targets are found again among everybody by what is known of them.
    mine = as_known(attacker, attacked, people)
    both = [np.concatenate([crowd.codes[name], mine.codes[name]]) for name in attacker.columns]
    number, count = numbered(both, [len(attacked.values[name]) for name in attacker.columns])
    kind = np.zeros(count, dtype=np.int64)
    kind[number[: crowd.records]] = tuples.tuple_of
    tuple_of = kind[number[crowd.records :]]
    own = np.where(people.released >= 0, view.class_of[np.maximum(people.released, 0)], -1)
    wanted = tuple_of * width + own
    if not len(known):
        return np.zeros(people.records), everybody
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    right = (own >= 0) & (known[place] == wanted)
    share = flow[place] / tuples.n[tuple_of] / np.maximum(view.n[np.maximum(own, 0)], 1)
    return np.where(right, np.minimum(share, 1.0), 0.0), everybody
