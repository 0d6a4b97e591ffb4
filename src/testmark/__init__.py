"""testmark: benchmarks of agents that write tests, built from real projects and judged by running the tests."""

__version__ = "0.1.0"
