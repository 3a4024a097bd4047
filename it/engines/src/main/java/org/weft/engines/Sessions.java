package org.weft.engines;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Spark, set up as a page says, in this process. */
final class Sessions {
  private static final String ADDRESSES = "spark.hadoop." + Run.ADDRESSES;

  private Sessions() {}

  /**
   * A session with the settings of a page's first block; only the addresses are the cluster's own.
   */
  static SparkSession of(Run run, Page page) throws IOException {
    Map<String, String> settings = page.properties(0);
    Run.require(settings.containsKey(ADDRESSES), page.file() + " does not set " + ADDRESSES);
    SparkSession.Builder builder =
        SparkSession.builder()
            // A task is tried four times, as on a cluster.
            .master("local[2,4]")
            .appName("jobs")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.local.dir", run.scratch().resolve("spark").toString())
            .config("spark.sql.shuffle.partitions", "4");
    settings.forEach(builder::config);
    builder.config(ADDRESSES, run.contacts());
    return builder.getOrCreate();
  }

  /** The cluster as the session's engine sees it. */
  static FileSystem fileSystem(SparkSession spark) throws IOException {
    return new Path("weft://blue/").getFileSystem(hadoop(spark));
  }

  static Configuration hadoop(SparkSession spark) {
    return spark.sparkContext().hadoopConfiguration();
  }

  /** Runs every SQL block of a page; the text block after one is what its last statement prints. */
  static int runSql(SparkSession spark, Page page) {
    int statements = 0;
    List<Page.Block> blocks = page.blocks();
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).language().equals("sql")) {
        List<Row> last = List.of();
        for (String statement : blocks.get(i).text().split(";")) {
          if (!statement.isBlank()) {
            last = spark.sql(statement.strip()).collectAsList();
            statements++;
          }
        }
        if (i + 1 < blocks.size() && blocks.get(i + 1).language().equals("text")) {
          Run.requireEquals(
              lines(blocks.get(i + 1).text()), printed(last), page.file() + ", its block " + i);
        }
      }
    }
    Run.require(statements > 0, page.file() + " has no SQL");
    return statements;
  }

  private static List<String> lines(String text) {
    return text.lines().map(line -> line.strip().replaceAll("\\s+", " ")).toList();
  }

  /** As Spark's shell prints rows: values with white space between them. */
  private static List<String> printed(List<Row> rows) {
    List<String> lines = new ArrayList<>();
    for (Row row : rows) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        values.add(String.valueOf(row.get(i)));
      }
      lines.add(String.join(" ", values));
    }
    return lines;
  }
}
