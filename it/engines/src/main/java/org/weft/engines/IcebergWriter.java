package org.weft.engines;

import java.util.List;
import org.apache.spark.sql.SparkSession;

/** One of several processes that append to the same Iceberg table. */
final class IcebergWriter implements Job {
  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    SparkSession spark = Sessions.of(run, run.page(IcebergJob.PAGE));
    int writer = Integer.parseInt(arguments.get(0));
    int appends = Integer.parseInt(arguments.get(1));
    for (int number = 0; number < appends; number++) {
      Appends.frame(spark, writer, number).writeTo(IcebergJob.TABLE).append();
    }
    return appends + " appends";
  }
}
