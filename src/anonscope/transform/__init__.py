"""Every transformation, in the order of the documentation."""

from anonscope.transform.add_noise import AddNoise
from anonscope.transform.bottom_code import BottomCode
from anonscope.transform.drop_column import DropColumn
from anonscope.transform.exponential_mechanism import ExponentialMechanism
from anonscope.transform.generalise_date import GeneraliseDate
from anonscope.transform.generalise_hierarchy import GeneraliseHierarchy
from anonscope.transform.generalise_interval import GeneraliseInterval
from anonscope.transform.generalise_mapping import GeneraliseMapping
from anonscope.transform.generalise_prefix import GeneralisePrefix
from anonscope.transform.laplace_mechanism import LaplaceMechanism
from anonscope.transform.mask import Mask
from anonscope.transform.microaggregate import Microaggregate
from anonscope.transform.multiply_noise import MultiplyNoise
from anonscope.transform.permute_column import PermuteColumn
from anonscope.transform.post_randomise import PostRandomise
from anonscope.transform.pseudonymise import Pseudonymise
from anonscope.transform.randomised_response import RandomisedResponse
from anonscope.transform.recode import Recode
from anonscope.transform.round import Round
from anonscope.transform.shift_dates import ShiftDates
from anonscope.transform.sort_records import SortRecords
from anonscope.transform.suppress_cells import SuppressCells
from anonscope.transform.suppress_column import SuppressColumn
from anonscope.transform.suppress_records import SuppressRecords
from anonscope.transform.swap_ranks import SwapRanks
from anonscope.transform.top_code import TopCode
from anonscope.transform.transformation import Transformation

TRANSFORMATIONS: dict[str, type[Transformation]] = {
    t.name: t
    for t in (
        DropColumn,
        Mask,
        Pseudonymise,
        ShiftDates,
        GeneraliseInterval,
        GeneraliseDate,
        GeneralisePrefix,
        GeneraliseMapping,
        GeneraliseHierarchy,
        Round,
        TopCode,
        BottomCode,
        SuppressCells,
        SuppressColumn,
        SuppressRecords,
        SortRecords,
        Microaggregate,
        PermuteColumn,
        SwapRanks,
        AddNoise,
        MultiplyNoise,
        PostRandomise,
        RandomisedResponse,
        LaplaceMechanism,
        ExponentialMechanism,
        Recode,
    )
}

__all__ = [
    "TRANSFORMATIONS",
    "AddNoise",
    "BottomCode",
    "DropColumn",
    "ExponentialMechanism",
    "GeneraliseDate",
    "GeneraliseHierarchy",
    "GeneraliseInterval",
    "GeneraliseMapping",
    "GeneralisePrefix",
    "LaplaceMechanism",
    "Mask",
    "Microaggregate",
    "MultiplyNoise",
    "PermuteColumn",
    "PostRandomise",
    "Pseudonymise",
    "RandomisedResponse",
    "Recode",
    "Round",
    "ShiftDates",
    "SortRecords",
    "SuppressCells",
    "SuppressColumn",
    "SuppressRecords",
    "SwapRanks",
    "TopCode",
    "Transformation",
]
