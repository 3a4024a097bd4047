package org.weft.engines;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Rows whose every value follows from their id, made by Spark as {@link RowModel} makes them. */
final class Rows {
  static final String SCHEMA = "id BIGINT, day INT, text STRING, number BIGINT";

  private Rows() {}

  /** Rows of the ids from first on, in four tasks. */
  static Dataset<Row> frame(SparkSession spark, long first, long count) {
    return spark
        .range(first, first + count, 1, 4)
        .selectExpr(
            "id",
            "cast(id % " + RowModel.DAYS + " AS INT) AS day",
            "sha2(cast(id AS STRING), 256) AS text",
            "(id * " + RowModel.FACTOR + ") % " + RowModel.MODULUS + " AS number");
  }

  /** For each day: how many rows, and sums of all their columns. */
  static Map<Integer, List<Long>> fingerprint(Dataset<Row> rows) {
    Map<Integer, List<Long>> days = new TreeMap<>();
    List<Row> sums =
        rows.selectExpr("day", "id", "crc32(cast(text AS BINARY)) AS crc", "number")
            .groupBy("day")
            .agg(Map.of("*", "count", "id", "sum", "crc", "sum", "number", "sum"))
            .selectExpr("day", "`count(1)`", "`sum(id)`", "`sum(crc)`", "`sum(number)`")
            .collectAsList();
    for (Row row : sums) {
      days.put(
          row.getInt(0), List.of(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)));
    }
    return days;
  }
}
