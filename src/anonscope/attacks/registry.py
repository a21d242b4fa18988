"""The attacks there are: what each asks, what it needs to know, where it comes from."""

from dataclasses import dataclass

from anonscope.risk.metrics.metric import Attack


@dataclass(frozen=True, slots=True)
class AttackInfo:
    """One attack, as reports and the documentation show it."""

    name: str
    title: str
    question: str
    knowledge: str
    source: str
    attack: Attack  # which of the three questions of WP216 it answers
    variants: tuple[str, ...]
    usual: tuple[str, ...]  # the variants that a rule is about unless it names one
    limited: bool = True  # whether a rule may be about it

    def __str__(self) -> str:
        return self.name


ATTACKS: dict[str, AttackInfo] = {
    info.name: info
    for info in (
        AttackInfo(
            "singling_out",
            "Singling out",
            "Does what fits exactly one released record fit exactly one person?",
            "The release alone.",
            "Cohen and Nissim 2020",
            "singling out",
            ("several columns", "one column"),
            ("several columns",),
        ),
        AttackInfo(
            "linkability",
            "Linkability",
            "Which released record is this person's?",
            "A table of people with the known columns, as exactly as stated.",
            "Fellegi and Sunter 1969; Duncan and Lambert 1989",
            "linkability",
            ("candidates", "nearest", "assignment", "likelihood", "single match"),
            ("candidates", "nearest", "assignment", "likelihood"),
        ),
        AttackInfo(
            "inference",
            "Inference",
            "What is this person's sensitive value?",
            "The known columns of a person, as exactly as stated.",
            "Hittmeir, Mayer and Ekelhart 2020; Li, Li and Venkatasubramanian 2007",
            "inference",
            ("candidates", "nearest", "model", "likelihood", "similarity", "skewness"),
            ("candidates", "nearest", "model", "likelihood", "similarity", "skewness"),
        ),
        AttackInfo(
            "membership",
            "Membership",
            "Was this person in the table that the release was made of?",
            "All columns of a person that the release has, and a reference of other people.",
            "Watson, Guo, Cormode and Sablayrolles 2022; Stadler, Oprisanu and Troncoso 2022; Nergiz, Atzori and Clifton 2007",
            "inference",
            ("calibrated distance", "density ratio", "candidate presence", "distance to closest"),
            ("calibrated distance", "density ratio", "candidate presence"),
        ),
        AttackInfo(
            "composition",
            "Composition",
            "What do several releases together tell of a person's sensitive value?",
            "The known columns of a person, and all releases.",
            "Ganta, Kasiviswanathan and Smith 2008",
            "inference",
            ("candidates", "exact disclosure", "best guess", "averaging"),
            ("candidates", "exact disclosure", "best guess", "averaging"),
        ),
        AttackInfo(
            "downcoding",
            "Downcoding",
            "Which values are ruled out because the release is no coarser than it had to be?",
            "The release, and that its method coarsens as little as the rule allows.",
            "Cohen 2022",
            "inference",
            ("finer neighbours",),
            ("finer neighbours",),
            limited=False,
        ),
        AttackInfo(
            "unicity",
            "Unicity",
            "How many points of somebody's events does it take to fit nobody else?",
            "Some points of a person's events, drawn at random.",
            "de Montjoye, Hidalgo, Verleysen and Blondel 2013",
            "singling out",
            ("events", "events and attributes"),
            ("events",),
            limited=False,
        ),
    )
}
