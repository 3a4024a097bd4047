package org.weft.engines;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;

/** An Iceberg table in a catalog of directories: commits of three processes meet. */
final class IcebergJob implements Job {
  static final String PAGE = "docs/engines/iceberg.md";
  static final String TABLE = "blue.jobs.rows";
  private static final String DIR = "weft://blue/iceberg/jobs/rows";

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Page page = run.page(PAGE);
    SparkSession spark = Sessions.of(run, page);
    run.step("the SQL of the page");
    int statements = Sessions.runSql(spark, page);
    spark.sql(
        "CREATE TABLE "
            + TABLE
            + " ("
            + Rows.SCHEMA
            + ") USING iceberg PARTITIONED BY (day) TBLPROPERTIES ('commit.retry.num-retries' = '50')");
    int rounds =
        Appends.ofThree(
            run,
            "iceberg-writer",
            number -> Appends.frame(spark, 0, number).writeTo(TABLE).append());
    int commits = Appends.count(rounds);
    run.step("verifying " + commits + " commits");
    Map<Integer, List<Long>> expected = Appends.model(rounds);
    Run.requireEquals(expected, Rows.fingerprint(spark.table(TABLE)), "all appends");
    Run.requireEquals(
        (long) commits, spark.sql("SELECT * FROM " + TABLE + ".snapshots").count(), "snapshots");
    Run.requireEquals(
        (long) commits,
        spark.sql("SELECT DISTINCT parent_id FROM " + TABLE + ".snapshots").count(),
        "snapshots with different parents");
    requireVersions(Sessions.fileSystem(spark), commits + 1);
    spark.sql("DELETE FROM " + TABLE + " WHERE day = 3");
    expected.remove(3);
    Run.requireEquals(expected, Rows.fingerprint(spark.table(TABLE)), "after a delete");
    return commits
        + " commits of "
        + (Appends.OTHERS + 1)
        + " processes, each a version of its own; a delete; "
        + statements
        + " statements of the page";
  }

  /** The creation and each commit made one file, without a gap. */
  private static void requireVersions(FileSystem fs, int versions) throws Exception {
    TreeSet<Integer> expected = new TreeSet<>();
    for (int version = 1; version <= versions; version++) {
      expected.add(version);
    }
    TreeSet<Integer> found = new TreeSet<>();
    for (FileStatus each : fs.listStatus(new Path(DIR, "metadata"))) {
      String name = each.getPath().getName();
      if (name.matches("v\\d+\\.metadata\\.json")) {
        found.add(Integer.valueOf(name.substring(1, name.indexOf('.'))));
      }
    }
    Run.requireEquals(expected, found, "versions of the table");
  }
}
