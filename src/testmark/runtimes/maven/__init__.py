"""Maven projects: toolchains, builds of revisions, runs of single test methods."""
