# On a fresh machine `make demo` and `make test` do all the set-up themselves.
#   make demo    the main job on the shipped examples, Python and Java, each ending in a table that compares four agents
#   make test    all tests; ARGS="tests/records -k name" for some
#   make check   lint, format, types, order of the rooms
#   make bench   speed, as ratios measured in one run
#   make lock    the requirement files anew from their *.in (ARGS=--upgrade renews what is locked)
#   make clean   removes what the others made
# PYTHON=/path/of/python3.13 chooses the interpreter of .venv.
.PHONY: demo test check bench lock clean
.NOTPARALLEL:

export PYTHON

demo:
	@scripts/bootstrap.sh demo
	@scripts/demo.sh

# The root with all JDKs is made before the tests, so that none of them sees it come into being.
test:
	@scripts/bootstrap.sh test
	.venv/bin/testevo toolchain install
	.venv/bin/python -m pytest -n auto --dist loadgroup $(ARGS)

check:
	@scripts/bootstrap.sh test
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/mypy --config-file scripts/mypy-child.ini
	.venv/bin/python -m pytest -q tests/test_house.py

bench:
	@scripts/bootstrap.sh bench
	.venv/bin/python bench/run.py $(ARGS)

lock:
	scripts/lock.sh $(ARGS)

clean:
	rm -rf build dist .venv .bootstrap.lock .mypy_cache .pytest_cache .ruff_cache .coverage
