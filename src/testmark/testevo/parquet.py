"""Rows of the TestEvo data sets as Parquet with the card's types."""

from __future__ import annotations

from collections.abc import Sequence

from testmark.engine.tables import parquet_bytes
from testmark.records.tasks import TaskRow


def rows_to_parquet(rows: Sequence[TaskRow]) -> bytes:
    """The bytes of a Parquet file; one schema for the three tracks. Same rows, same bytes."""
    import pyarrow as pa

    text, texts = pa.string(), pa.list_(pa.string())
    counts = ("denominator", "baseline_covered", "developer_covered", "gained", "lost", "net")
    gain = pa.struct(
        [*((name, pa.int64()) for name in counts), ("gain", pa.float64()), ("status", text), ("version", text)]
    )
    variants = pa.struct([(name, text) for name in ("old_on_old", "old_on_new", "new_on_old", "new_on_new")])
    change = pa.struct(
        [
            *((name, text) for name in ("change_id", "test_sign", "class", "method", "module", "junit_selector")),
            ("old_test_code", text),
            ("new_test_code", text),
            *((name, texts) for name in ("old_test_lnum", "new_test_lnum", "old_test_file_path", "all_deps_new")),
            ("variant_result", variants),
            ("coverage_gold", pa.float64()),
            ("coverage_delta_gold", pa.float64()),
            ("coverage_gain", gain),
        ]
    )
    schema = pa.schema(
        [
            *(
                (name, text)
                for name in ("task_id", "project_name", "git_clone_url", "rev1", "rev2", "date", "test_file")
            ),
            ("test_changes", pa.list_(change)),
            ("java_version", pa.int64()),
        ]
    )
    return parquet_bytes(rows, schema)
