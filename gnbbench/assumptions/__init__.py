"""The two assumptions of Gaussian naive Bayes, class by class, and what each costs.

`examination.examine` takes a Dataset and gives an `Assumptions`; nothing is drawn here.
"""

from gnbbench.assumptions.examination import examine
from gnbbench.assumptions.findings import Assumptions, AssumptionVerdict

__all__ = ["AssumptionVerdict", "Assumptions", "examine"]
