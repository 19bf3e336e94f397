"""For your own tests: agreement with a reference, and the battery of hard cases."""

from gnbbench.testing.agreement import assert_agreement
from gnbbench.testing.checks import ReadyCheck, conformance_checks

__all__ = ["ReadyCheck", "assert_agreement", "conformance_checks"]
