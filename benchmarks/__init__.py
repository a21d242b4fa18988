"""How fast an audit is, against the yardsticks that the project has set itself: python -m benchmarks."""
