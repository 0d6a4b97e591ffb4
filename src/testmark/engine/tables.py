"""Records as Parquet, as both benchmarks write their data sets."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from testmark.records.base import Record

if TYPE_CHECKING:
    import pyarrow as pa


def parquet_bytes(records: Sequence[Record], schema: pa.Schema) -> bytes:
    """The bytes of a Parquet file; same records, same bytes.

    Without records it has the schema and no row group at all: `datasets` takes the size of the first group for that of
    its batches, and cannot read a group of no rows.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, schema, compression="zstd") as writer:
        if records:
            rows = [record.model_dump(mode="json", by_alias=True) for record in records]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    return buffer.getvalue()
