"""Every transformation, in the order of the documentation."""

from anonscope.transform.drop_column import DropColumn
from anonscope.transform.generalise_interval import GeneraliseInterval
from anonscope.transform.round import Round
from anonscope.transform.transformation import Transformation

TRANSFORMATIONS: dict[str, type[Transformation]] = {t.name: t for t in (DropColumn, GeneraliseInterval, Round)}

__all__ = ["TRANSFORMATIONS", "DropColumn", "GeneraliseInterval", "Round", "Transformation"]
