"""A formulation of one's own: Baumgarte's feedback, and states that are projected as well."""

from dataclasses import dataclass

from touchback.native import Baumgarte


@dataclass(frozen=True)
class ProjectedFeedback(Baumgarte):
    """The rate pulls back what drifts within a step; accepted states meet the constraints."""

    word = "projected-feedback"
    table = "projection_kind"  # of C: what becomes of accepted states
    rank_tolerance = 1e-8
