"""The simulation-quality laboratory: how good is each way to run one mechanism, and what it costs.

Wang 2011, section 3: constraint violation, accuracy and stability are measured, not promised.
"""

from touchback.analysis.quality.quality_result import Demand, Limit, Quality, Recommendation, Row
from touchback.analysis.quality.quality_sweep import quality

__all__ = ["Demand", "Limit", "Quality", "Recommendation", "Row", "quality"]
