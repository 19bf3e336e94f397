"""``gnbbench.scale`` in Python."""

from pathlib import Path

import pytest
from faults.studies import scale_prepared
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

import gnbbench
from gnbbench.errors import ResultsError
from gnbbench.studies.stored import compare_stored, draw_again
from gnbbench.studies.study import Study


@pytest.mark.slow
def test_a_study_is_drawn_again_from_its_records(tmp_path: Path) -> None:
    study = gnbbench.scale(
        samples=[50, 100],
        features=2,
        classes=2,
        against=ScikitLearnGaussianNB(var_smoothing=1e-3),
        budget_seconds=200.0,
        processes=1,
        out=tmp_path,
    )

    again = draw_again(tmp_path)

    assert isinstance(again, Study)
    assert again.frame().equals(study.frame())
    assert again.details.headline == study.details.headline
    assert set(study.figures) == {"scale_samples", "scale_throughput", "scale_memory"}
    assert "gnbbench.scale(samples=[50, 100]" in study.page().replace("&#39;", "'")
    with pytest.raises(ResultsError, match="no study of a known kind"):
        compare_stored(tmp_path, tmp_path)


def test_defaults_are_what_the_documentation_says() -> None:
    plan = scale_prepared().plan

    held = {name: one.held for name, one in plan.axes.items()}
    assert held == {"samples": 10_000, "features": 20, "classes": 5}
    assert (plan.reference, plan.against) == ("sklearn", ("numpy",))
    assert len(plan.points) == 23


def test_where_ours_is_the_reference_scikit_learn_is_compared() -> None:
    plan = scale_prepared(reference="numpy", samples="100:200").plan

    assert (plan.reference, plan.against) == ("numpy", ("sklearn",))
