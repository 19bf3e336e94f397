"""Tests of the two assumptions of Gaussian naive Bayes by class, and their costs.

`examination.examine` turns a Dataset into `Assumptions`; nothing is drawn here.
"""

from gnbbench.assumptions.examination import examine
from gnbbench.assumptions.findings import Assumptions, AssumptionVerdict

__all__ = ["AssumptionVerdict", "Assumptions", "examine"]
