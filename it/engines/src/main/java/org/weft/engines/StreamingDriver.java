package org.weft.engines;

import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/** Two queries over the same files: a file sink, and an aggregation with a state store. */
final class StreamingDriver implements Job {
  private static final Path DIR = new Path("weft://blue/jobs/streaming");
  static final Path INPUT = new Path(DIR, "in/files");
  static final Path FILES = new Path(DIR, "files");
  static final Path FILES_CHECKPOINT = new Path(DIR, "files-checkpoint");
  static final Path COUNTS = new Path(DIR, "counts");
  private static final Path COUNTS_CHECKPOINT = new Path(DIR, "counts-checkpoint");

  /** Follows new files until it is killed, or takes what is there and ends. */
  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    SparkSession spark = Sessions.of(run, run.page("docs/engines/spark.md"));
    Trigger trigger =
        arguments.get(0).equals("drain") ? Trigger.AvailableNow() : Trigger.ProcessingTime(0);
    StreamingQuery files =
        input(spark)
            .writeStream()
            .format("parquet")
            .option("path", FILES.toString())
            .option("checkpointLocation", FILES_CHECKPOINT.toString())
            .trigger(trigger)
            .start();
    StreamingQuery counts =
        input(spark)
            .groupBy("day")
            .agg(java.util.Map.of("*", "count", "id", "sum"))
            .selectExpr("day", "`count(1)` AS rows", "`sum(id)` AS ids")
            .writeStream()
            .outputMode(OutputMode.Complete())
            .option("checkpointLocation", COUNTS_CHECKPOINT.toString())
            .foreachBatch(
                (VoidFunction2<Dataset<Row>, Long>)
                    (batch, number) ->
                        batch
                            .write()
                            .mode(SaveMode.Overwrite)
                            .parquet(new Path(COUNTS, Long.toString(number)).toString()))
            .trigger(trigger)
            .start();
    files.awaitTermination();
    counts.awaitTermination();
    return "both queries have ended";
  }

  private static Dataset<Row> input(SparkSession spark) {
    return spark
        .readStream()
        .schema(Rows.SCHEMA)
        .option("maxFilesPerTrigger", 1)
        .json(INPUT.toString());
  }
}
