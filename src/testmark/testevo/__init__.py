"""TestEvo: test update, generation and refinement, mined from the history of Maven repositories, and judged."""
