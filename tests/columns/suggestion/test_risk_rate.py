def test_thresholds_lie_in_the_widest_gaps_of_the_rates():
    """Ratios count, one that is given stays, and without three different rates the published ones stand."""
    from anonscope.columns.suggestion.risk_rate import ALPHA, BETA, thresholds_of

    assert thresholds_of([40.0, 30.0, 4.0, 2.0, 0.5, 0.4]) == (10.95, 1.0)
    assert thresholds_of([40.0, 30.0, 4.0, 2.0, 0.5, 0.4], beta=1.0) == (10.95, 1.0)
    assert thresholds_of([40.0, 30.0, 4.0, 2.0, 0.5, 0.4], alpha=35.0) == (35.0, 1.0)
    assert thresholds_of([]) == (ALPHA, BETA)


def test_beta_lies_in_the_gap_around_one_in_a_hundred():
    """Rates of the published tables: one column has the same distribution in both, so only its absolute rate can tell them apart."""
    from anonscope.columns.suggestion.risk_rate import thresholds_of

    smaller = [38.50, 27.65, 22.58, 5.49, 3.63, 3.12, 1.34, 0.96, 0.61, 0.53, 0.50, 0.40]
    larger = [20.98, 13.81, 10.04, 2.66, 1.80, 1.54, 0.67, 0.52, 0.31, 0.26, 0.20]

    assert thresholds_of(smaller) == (11.13, 1.13)
    assert thresholds_of(larger) == (5.17, 1.02)
    assert thresholds_of([0.9, 0.8, 0.1, 0.09, 0.01]) == (0.28, 0.03), "nobody has one in a hundred: the widest gaps decide"
    assert thresholds_of([90.0, 30.0, 2.0, 0.5, 0.001]) == (7.75, 1.0), "a rate that is printed as 0 has no gap"
