"""Every transformation, in the order of the documentation."""

from anonscope.transform.steps.add_noise import AddNoise
from anonscope.transform.steps.bottom_code import BottomCode
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.exponential_mechanism import ExponentialMechanism
from anonscope.transform.steps.generalise_date import GeneraliseDate
from anonscope.transform.steps.generalise_hierarchy import GeneraliseHierarchy
from anonscope.transform.steps.generalise_interval import GeneraliseInterval
from anonscope.transform.steps.generalise_mapping import GeneraliseMapping
from anonscope.transform.steps.generalise_prefix import GeneralisePrefix
from anonscope.transform.steps.joint_randomised_response import JointRandomisedResponse
from anonscope.transform.steps.laplace_mechanism import LaplaceMechanism
from anonscope.transform.steps.mask import Mask
from anonscope.transform.steps.microaggregate import Microaggregate
from anonscope.transform.steps.multiply_noise import MultiplyNoise
from anonscope.transform.steps.permute_column import PermuteColumn
from anonscope.transform.steps.post_randomise import PostRandomise
from anonscope.transform.steps.pseudonymise import Pseudonymise
from anonscope.transform.steps.randomised_response import RandomisedResponse
from anonscope.transform.steps.recode import Recode
from anonscope.transform.steps.round import Round
from anonscope.transform.steps.shift_dates import ShiftDates
from anonscope.transform.steps.sort_records import SortRecords
from anonscope.transform.steps.suppress_cells import SuppressCells
from anonscope.transform.steps.suppress_column import SuppressColumn
from anonscope.transform.steps.suppress_records import SuppressRecords
from anonscope.transform.steps.swap_ranks import SwapRanks
from anonscope.transform.steps.top_code import TopCode
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
        JointRandomisedResponse,
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
    "JointRandomisedResponse",
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
]
