"""What the models that a policy asks for defend against by themselves, as a section of a report."""

from anonscope.report.sheet import Section, row
from anonscope.risk.policy.defences import defences
from anonscope.risk.policy.policy import Policy
from anonscope.risk.policy.verdict import ATTACKS

TITLE = "What such models defend against by themselves"


def defences_section(policy: Policy) -> Section | None:
    """Return the ratings of the models behind a policy with their notes; None where the policy asks for none of them."""
    table = defences()
    models = table.asked_by(policy)
    if not models:
        return None
    signs = "; ".join(f"{sign} {meaning}" for sign, meaning in table.legend.items())
    return Section(
        TITLE,
        ("model", *ATTACKS),
        tuple(row(model.title, *(model.against[attack].text for attack in ATTACKS)) for model in models),
        f"{signs} ({table.source}). It rates the kind of rule, not this table; how the table does is answered above.",
        matrix=False,
        lines=tuple(f"({number}) {text}" for number, text in table.notes_of(models).items()),
    )
