"""One room a framework: how its tests are run cold and warm, traced and reported."""
