"""Metrics in Prometheus' format. They are read from rows, so every process of every node tells the same."""

from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from accounts import clock
from condottiere_site.health.figures import FIGURES, read_figures
from condottiere_site.health.limited_work import LimitedWork
from condottiere_site.health.own_connection import own_connection
from condottiere_site.health.readiness import current_signs
from condottiere_site.health.signs import Sign

Figures = dict[str, list[tuple[tuple[str, ...], float]]]
_OF_SIGNS = ("sign", "about")


def current_metrics() -> bytes:
    """Return all metrics: at most five seconds old, and without figures if the database does not answer."""
    registry = CollectorRegistry()
    registry.register(SiteCollector(current_signs, _FIGURES.result))
    return generate_latest(registry)


class SiteCollector(Collector):
    """Makes metrics from the signs of health and from figures; what is not known is left out."""

    def __init__(self, signs: Callable[[], Iterable[Sign]], figures: Callable[[], Figures | None]) -> None:
        """`signs` and `figures` are called whenever metrics are collected; figures may be None."""
        self._signs, self._figures = signs, figures

    def describe(self) -> Iterable[Metric]:
        """Return the metrics without any values, by which the registry knows their names."""
        yield from _families_of_signs()
        for figure in FIGURES:
            yield GaugeMetricFamily(figure.name, figure.text, labels=figure.labels)

    def collect(self) -> Iterator[Metric]:
        """Return the metrics with their values."""
        yield from self._of_signs()
        values = self._figures() or {}
        for figure in FIGURES:
            family = GaugeMetricFamily(figure.name, figure.text, labels=figure.labels)
            for labels, value in values.get(figure.name, ()):
                family.add_metric(labels, value)
            yield family

    def _of_signs(self) -> Iterable[Metric]:
        failed, value, limit = _families_of_signs()
        for sign in self._signs():
            labels = (sign.name, sign.about)
            if sign.is_known:
                failed.add_metric(labels, sign.failed)
            if sign.value is not None:
                value.add_metric(labels, sign.value)
            if sign.limit is not None:
                limit.add_metric(labels, sign.limit)
        return failed, value, limit


def _families_of_signs() -> tuple[GaugeMetricFamily, GaugeMetricFamily, GaugeMetricFamily]:
    return (
        GaugeMetricFamily(
            "condottiere_sign_failed", "1 if a sign of health has failed, else 0.", labels=_OF_SIGNS
        ),
        GaugeMetricFamily("condottiere_sign_value", "What a sign of health has measured.", labels=_OF_SIGNS),
        GaugeMetricFamily(
            "condottiere_sign_limit",
            "The most that is well; of free disk space, the least.",
            labels=_OF_SIGNS,
        ),
    )


def _read() -> Figures:
    with own_connection():
        return read_figures(clock.now())


_FIGURES = LimitedWork(_read)
