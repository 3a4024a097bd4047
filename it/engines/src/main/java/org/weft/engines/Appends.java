package org.weft.engines;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** What several writers append: each append has ids of its own. */
final class Appends {
  /** Processes beside the one that verifies, and the appends of each. */
  static final int OTHERS = 2;

  private static final int EACH = 5;
  private static final int ROWS = 500;
  private static final int MAX = 256;
  private static final long BOUND_PER_WRITER = (long) ROWS * MAX;

  private Appends() {}

  static Dataset<Row> frame(SparkSession spark, int writer, int number) {
    return Rows.frame(spark, writer * BOUND_PER_WRITER + (long) number * ROWS, ROWS).coalesce(1);
  }

  /**
   * Three processes append, this one as writer 0 and while faults come.
   *
   * @param job of each of the other processes
   * @param own what this process does in each round
   * @return how many rounds of this process were done
   */
  static int ofThree(Run run, String job, Run.Round own) throws Exception {
    try (Children children = new Children(run)) {
      for (int writer = 1; writer <= OTHERS; writer++) {
        children.job(job, Integer.toString(writer), Integer.toString(EACH));
      }
      int rounds = run.amid("appends of three processes", EACH, own);
      children.awaitAll();
      return rounds;
    }
  }

  /** All appends, after so many of writer 0. */
  static int count(int rounds) {
    return rounds + OTHERS * EACH;
  }

  /** The rows that are there after so many appends of writer 0. */
  static Map<Integer, List<Long>> model(int rounds) {
    return RowModel.of(
        (OTHERS + 1) * BOUND_PER_WRITER,
        id -> id % BOUND_PER_WRITER < (long) ROWS * (id < BOUND_PER_WRITER ? rounds : EACH));
  }
}
