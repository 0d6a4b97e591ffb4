# The two commands that do all the set-up on a fresh machine are `make demo` and `make test`.
.PHONY: demo test check bench lock clean

demo:
	@scripts/bootstrap.sh demo
	@scripts/demo.sh

test:
	@scripts/bootstrap.sh test
	.venv/bin/python -m pytest -n auto --dist loadgroup $(ARGS)

check:
	@scripts/bootstrap.sh test
	.venv/bin/ruff check src tests bench
	.venv/bin/ruff format --check src tests bench
	.venv/bin/mypy
	cd src/testmark/runtimes/behave/child && ../../../../../.venv/bin/mypy --strict --python-version 3.10 --config-file=../../../../../scripts/mypy-child.ini .
	.venv/bin/python -m pytest -q tests/test_house.py

bench:
	@scripts/bootstrap.sh bench
	.venv/bin/python bench/run.py

# Needs uv (pip install uv); the locks hold hashes and no host names.
lock:
	for name in runtime dev bench; do \
	  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
	    --no-annotate requirements/$$name.in -o requirements/$$name.txt || exit 1; \
	done

clean:
	rm -rf build .venv .mypy_cache .pytest_cache .ruff_cache
