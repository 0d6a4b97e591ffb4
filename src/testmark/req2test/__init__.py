"""Req2Test: from a Gherkin Requirement to its step definitions; building the benchmark and judging predictions."""
