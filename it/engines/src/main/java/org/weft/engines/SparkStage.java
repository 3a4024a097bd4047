package org.weft.engines;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark job of one stage that reads Parquet, in a JVM of its own: {@code bench/cold} measures it.
 * Driver and executor are one process, which compiles and reads as an executor does.
 */
public final class SparkStage {
  private static final long MEBIBYTE = 1 << 20;

  /** Of a row in Parquet, about: an id, and a text that does not compress. */
  private static final long ROW_BYTES = 136;

  private static final int FILES = 8;

  private SparkStage() {}

  /**
   * @param arguments {@code write} or {@code read}, a directory, and how many MiB it holds
   */
  public static void main(String[] arguments) {
    long rows = Long.parseLong(arguments[2]) * MEBIBYTE / ROW_BYTES;
    SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("stage")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .getOrCreate();
    if (arguments[0].equals("write")) {
      spark
          .range(0, rows, 1, FILES)
          .selectExpr("id", "sha2(cast(id AS STRING), 512) AS text")
          .write()
          .mode(SaveMode.Overwrite)
          .parquet(arguments[1]);
    } else {
      read(spark, arguments[1], rows);
    }
    spark.stop();
    System.exit(0);
  }

  /** Every column of every row, which go nowhere; ends with 1 unless one stage read all rows. */
  private static void read(SparkSession spark, String directory, long rows) {
    AtomicLong read = new AtomicLong();
    AtomicInteger stages = new AtomicInteger();
    spark
        .sparkContext()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onTaskEnd(SparkListenerTaskEnd end) {
                read.addAndGet(end.taskMetrics().inputMetrics().recordsRead());
              }

              @Override
              public void onStageCompleted(SparkListenerStageCompleted completed) {
                stages.incrementAndGet();
              }
            });
    spark
        .read()
        .schema("id BIGINT, text STRING")
        .parquet(directory)
        .write()
        .format("noop")
        .mode(SaveMode.Overwrite)
        .save();
    // Listeners hear of the last task a moment later; the end of the context waits for them.
    spark.stop();
    if (read.get() != rows || stages.get() != 1) {
      System.err.printf("read %d rows of %d in %d stages%n", read.get(), rows, stages.get());
      System.exit(1);
    }
  }
}
