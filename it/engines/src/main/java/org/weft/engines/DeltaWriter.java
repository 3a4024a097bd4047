package org.weft.engines;

import java.util.List;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/** One of several processes that append to the same Delta table. */
final class DeltaWriter implements Job {
  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    SparkSession spark = Sessions.of(run, run.page(DeltaJob.PAGE));
    int writer = Integer.parseInt(arguments.get(0));
    int appends = Integer.parseInt(arguments.get(1));
    for (int number = 0; number < appends; number++) {
      append(spark, writer, number);
    }
    return appends + " appends";
  }

  static void append(SparkSession spark, int writer, int number) {
    Appends.frame(spark, writer, number)
        .write()
        .format("delta")
        .mode(SaveMode.Append)
        .save(DeltaJob.TABLE);
  }
}
