def test_thresholds_lie_in_the_widest_gaps_of_the_rates():
    """Ratios count, one that is given stays, and without three different rates the published ones stand."""
    from anonscope.columns.suggestion.risk_rate import ALPHA, BETA, thresholds_of

    assert thresholds_of([40.0, 30.0, 4.0, 2.0, 0.5, 0.4]) == (10.95, 1.0)
    assert thresholds_of([40.0, 30.0, 4.0, 2.0, 0.5, 0.4], beta=1.0) == (10.95, 1.0)
    assert thresholds_of([40.0, 30.0, 4.0, 2.0, 0.5, 0.4], alpha=35.0) == (35.0, 10.95)
    assert thresholds_of([]) == (ALPHA, BETA)
