"""The page of timings is written from the measurements, not by hand."""

from __future__ import annotations

import pytest


def test_performance_page_is_what_the_measurements_give() -> None:
    report = pytest.importorskip("benchmarks.report")
    text = report.PAGE.read_text(encoding="utf-8")
    assert text == report.page(report.all_reports()), "python benchmarks/report.py"


def test_numbers_in_tables_keep_three_digits() -> None:
    measuring = pytest.importorskip("benchmarks.measuring")
    values = (12345.6, 1234.5, 12.345, 0.012345, 1.2345e-5, 100.0, 3, None, "text")
    texts = ("12346", "1234", "12.3", "0.0123", "1.2e-05", "100", "3", "", "text")
    assert tuple(measuring.number(value) for value in values) == texts


def test_fitted_exponent_is_that_of_a_power() -> None:
    measuring = pytest.importorskip("benchmarks.measuring")
    sizes = (10, 100, 1000)
    values = [3.0 * size**1.5 for size in sizes]
    assert measuring.fitted_exponent(sizes, values) == pytest.approx(1.5, rel=1e-12)
