"""A comparison on one dataset or on several, as the commands take them alike."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnbbench.interface.matrix_study import MatrixStudy
    from gnbbench.interface.study import Study


def settled(
    sources: Sequence[Mapping[str, Any]], *, several: bool, **options: Any
) -> tuple[Callable[..., Any], Any]:
    """Return what carries a comparison out, and the comparison, ready and possible."""
    from gnbbench.data.loading import load
    from gnbbench.interface.compare import carried_out, prepared
    from gnbbench.interface.compare_many import many_carried_out, many_prepared

    datasets = [load(**source) for source in sources]
    if several:
        return many_carried_out, many_prepared(datasets, **options)
    return carried_out, prepared(datasets[0], **options)


def file_text(made: Any) -> str:
    """Return a settled comparison as a file for ``gnbbench run``."""
    from gnbbench.interface.compare_many import ManySettings
    from gnbbench.studies.configuration import config_text, several_config_text

    if isinstance(made, ManySettings):
        return several_config_text(made.plan.plans, made.parts[0].timing)
    return config_text(made.plan, getattr(made, "timing", None))


def studies_in(study: "Study | MatrixStudy") -> tuple["Study", ...]:
    """Return the studies of which gates are judged: each dataset's."""
    from gnbbench.interface.matrix_study import MatrixStudy

    if isinstance(study, MatrixStudy):
        return tuple(study.studies.values())
    return (study,)
