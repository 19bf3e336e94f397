"""What scikit-learn expects to find on an estimator, given without importing it first.

scikit-learn asks for tags itself, so it is loaded by then. Its exception and warning
classes are used where a caller can know them, that is, once it is loaded.
"""

import sys
from typing import Any


class NotFittedError(ValueError, AttributeError):
    """An estimator was asked for predictions before it was fitted."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter of an estimator is of the wrong type or out of range."""


def not_fitted_error(estimator_name: str) -> Exception:
    """Return the error for an unfitted estimator, of scikit-learn's class where loaded."""
    error: type[Exception] = _scikit_learn_class("NotFittedError", NotFittedError)
    return error(
        f"This {estimator_name} instance is not fitted yet. Call 'fit' with appropriate "
        "arguments before using this estimator."
    )


def conversion_warning() -> type[Warning]:
    """Return scikit-learn's DataConversionWarning where it is loaded, else UserWarning."""
    return _scikit_learn_class("DataConversionWarning", UserWarning)


def classifier_tags() -> Any:
    """Return scikit-learn's tags of a dense numeric classifier."""
    from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

    return Tags(
        estimator_type="classifier",
        target_tags=TargetTags(required=True),
        classifier_tags=ClassifierTags(),
        input_tags=InputTags(),
    )


def metadata_request(owner: str, consumed: dict[str, tuple[str, ...]]) -> Any:
    """Return a request of scikit-learn's metadata routing in which nothing is settled."""
    from sklearn.utils.metadata_routing import MetadataRequest

    request = MetadataRequest(owner)
    for method, names in consumed.items():
        for name in names:
            getattr(request, method).add_request(param=name, alias=None)
    return request


def _scikit_learn_class(name: str, otherwise: type[Any]) -> type[Any]:
    """Return a class of ``sklearn.exceptions`` if that module is loaded."""
    return getattr(sys.modules.get("sklearn.exceptions"), name, otherwise)
