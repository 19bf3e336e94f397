"""Which metadata an estimator asks for, where scikit-learn's metadata routing is used."""

from typing import Any, Self

from gnbbench.core import interoperability

CONSUMED = {
    "fit": ("sample_weight",),
    "partial_fit": ("classes", "sample_weight"),
    "score": ("sample_weight",),
}


class MetadataRouting:
    """The methods by which scikit-learn's pipelines ask who wants ``sample_weight``.

    Nothing is requested until a user says so, as for scikit-learn's own estimators.
    """

    def get_metadata_routing(self) -> Any:
        """Return what each method asks for."""
        if not hasattr(self, "_metadata_request"):
            name = type(self).__name__
            self._metadata_request = interoperability.metadata_request(name, CONSUMED)
        return self._metadata_request

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Return the estimator after its ``fit`` was told what to ask for."""
        return self._requesting("fit", requests)

    def set_partial_fit_request(self, **requests: bool | str | None) -> Self:
        """Return the estimator after its ``partial_fit`` was told what to ask for."""
        return self._requesting("partial_fit", requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Return the estimator after its ``score`` was told what to ask for."""
        return self._requesting("score", requests)

    def _requesting(self, method: str, requests: dict[str, Any]) -> Self:
        unknown = set(requests) - set(CONSUMED[method])
        if unknown:
            raise TypeError(
                f"Unexpected args: {unknown} in {method}. Accepted arguments are: "
                f"{set(CONSUMED[method])}"
            )
        routing = getattr(self.get_metadata_routing(), method)
        for parameter, alias in requests.items():
            routing.add_request(param=parameter, alias=alias)
        return self
