"""Dataset rows as Parquet with the card's types."""

from __future__ import annotations

from collections.abc import Sequence

from testmark.engine.tables import parquet_bytes
from testmark.records.base import Record


def rows_to_parquet(records: Sequence[Record], *, reference: bool) -> bytes:
    """The bytes of a Parquet file; `reference` chooses the schema of `gt_tests`. Same rows, same bytes."""
    import pyarrow as pa

    text = pa.string()
    file = pa.struct([("path", text), ("content", text)])
    if reference:
        schema = pa.schema([("project", text), ("instance_id", text), ("files", pa.list_(file)), ("di_fragment", text)])
    else:
        schema = pa.schema(
            [
                ("instance_id", text),
                ("project", text),
                ("language", text),
                ("framework", text),
                ("repo_url", text),
                ("base_commit", text),
                ("feature_repo_url", text),
                ("feature_commit", text),
                (
                    "feature",
                    pa.struct([("file_path", text), ("title", text), ("narrative", text), ("background", text)]),
                ),
                (
                    "scenario",
                    pa.struct(
                        [
                            ("title", text),
                            ("line", pa.int64()),
                            ("kind", text),
                            ("tags", pa.list_(text)),
                            ("gherkin", text),
                        ]
                    ),
                ),
                ("requirement_richness", text),
                (
                    "target_interfaces",
                    pa.list_(pa.struct([("declaration", text), ("key", pa.list_(text))])),
                ),
                ("target_interfaces_empty_reason", text),
                ("test_level", text),
                ("test_level_class", text),
                ("in_eval_split", pa.bool_()),
                ("gt_test_files", pa.list_(text)),
            ]
        )
    return parquet_bytes(records, schema)
