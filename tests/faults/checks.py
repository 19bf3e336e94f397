"""What a check of a file would be, made from diagnoses without running one."""

from gnbbench.diagnosis.checked_files import DataFindings, FileFindings
from gnbbench.diagnosis.findings import Diagnosis
from gnbbench.statistics.check import summarize_check
from gnbbench.statistics.summary import StudyNotes, Summary


def findings_of(diagnosis: Diagnosis, dataset: str = "iris") -> FileFindings:
    """Return what was found on a file by what was found on one dataset."""
    return FileFindings("a.py", "A", parts=(DataFindings(dataset, 2, diagnosis),))


def checked_summary(*files: FileFindings) -> Summary:
    """Return the summary of a check of files on the datasets of the first."""
    plan = {"datasets": [part.dataset for part in files[0].parts], "runs": 2}
    environment = {"versions": {"scikit-learn": "1"}, "machine": {}}
    return summarize_check(files, StudyNotes(plan, environment, "check"))
