"""The simulation-quality laboratory: how good is each way to run one mechanism, and what it costs.

Wang 2011, section 3: constraint violation, accuracy and stability are measured, not promised.
"""

from touchback.simulate.quality.recommendation import Demand, Recommendation
from touchback.simulate.quality.result import Quality
from touchback.simulate.quality.row import Limit, Row
from touchback.simulate.quality.sweep import quality

__all__ = ["Demand", "Limit", "Quality", "Recommendation", "Row", "quality"]
