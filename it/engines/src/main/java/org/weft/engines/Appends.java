package org.weft.engines;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** What several writers append: each append has ids of its own. */
final class Appends {
  private static final int ROWS = 500;
  private static final int MOST = 256;
  private static final long BOUND_PER_WRITER = (long) ROWS * MOST;

  private Appends() {}

  static Dataset<Row> frame(SparkSession spark, int writer, int number) {
    return Rows.frame(spark, writer * BOUND_PER_WRITER + (long) number * ROWS, ROWS).coalesce(1);
  }

  /** After so many appends of writer 0, and a number of appends of each of the others. */
  static Map<Integer, List<Long>> model(int first, int others, int appends) {
    return Rows.model(
        (others + 1) * BOUND_PER_WRITER,
        id -> id % BOUND_PER_WRITER < (long) ROWS * (id < BOUND_PER_WRITER ? first : appends));
  }
}
