package org.weft.engines;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Spark SQL: formats, committers with tasks that fail, partitions overwritten, buckets. The user is
 * not the superuser; the superuser has made directories for that user.
 */
final class SparkSqlJob implements Job {
  private static final String USER = "ada";
  private static final String DIR = "weft://blue/user/" + USER + "/spark-sql/";

  /** In the root directory, which is the superuser's. */
  private static final String ELSEWHERE = "weft://blue/elsewhere";

  private static final List<String> FORMATS = List.of("parquet", "orc", "csv", "json");
  private static final String OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode";
  private static final int ROWS = 40_000;
  private static final int ROUND_ROWS = 7_000;

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Page page = run.page("docs/engines/spark.md");
    run.step("directories for " + USER);
    try (Children superuser = new Children(run)) {
      for (String command : page.commands()) {
        Run.require(command.startsWith("weft "), page.file() + " has another command: " + command);
        superuser.weft(List.of(command.substring("weft ".length()).split("\\s+")));
      }
    }
    System.setProperty("HADOOP_USER_NAME", USER);
    SparkSession spark = Sessions.of(run, page);
    run.step("the SQL of the page");
    int statements = Sessions.runSql(spark, page);
    for (String format : FORMATS) {
      run.step("format " + format);
      Rows.frame(spark, 0, ROWS).write().format(format).partitionBy("day").save(DIR + format);
      requireRows(spark, format, DIR + format, RowModel.of(ROWS, id -> true));
    }
    requireUser(run, spark);
    int committers = page.of("properties").size();
    for (int number = 0; number < committers; number++) {
      committer(
          run, spark, "committer-" + number, number == 0 ? Map.of() : page.properties(number));
    }
    bucketed(run, spark);
    int rounds = amid(run, spark);
    return FORMATS
        + " of "
        + ROWS
        + " rows, "
        + committers
        + " committers whose tasks failed once, dynamic overwrite, buckets, "
        + rounds
        + " rounds of appends and overwrites, "
        + statements
        + " statements of the page; all as "
        + USER
        + ", a user that may write nowhere else";
  }

  /**
   * What was written is the user's; elsewhere the refusal names the user, the right that it lacks,
   * and the place.
   */
  private static void requireUser(Run run, SparkSession spark) throws Exception {
    run.step("a directory of the superuser");
    FileSystem fs = Sessions.fileSystem(spark);
    Run.requireEquals(
        USER, fs.getFileStatus(new Path(DIR + FORMATS.get(0))).getOwner(), "the owner");
    String refusal = "user " + USER + " has no write permission on /";
    try {
      Rows.frame(spark, 0, ROWS).write().parquet(ELSEWHERE);
    } catch (Exception e) {
      StringBuilder said = new StringBuilder();
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        said.append(cause).append('\n');
      }
      Run.require(said.indexOf(refusal) >= 0, "not '" + refusal + "' but:\n" + said);
      Run.require(!fs.exists(new Path(ELSEWHERE)), ELSEWHERE + " is there");
      return;
    }
    throw new AssertionError(USER + " may write to " + ELSEWHERE);
  }

  /** Writes with a committer while a task fails after its last row, then overwrites two days. */
  private static void committer(
      Run run, SparkSession spark, String name, Map<String, String> settings) throws Exception {
    run.step(name + " " + settings);
    Map<String, String> options = new java.util.TreeMap<>();
    for (Map.Entry<String, String> each : settings.entrySet()) {
      String key = each.getKey();
      if (key.startsWith("spark.hadoop.")) {
        options.put(key.substring("spark.hadoop.".length()), each.getValue());
      } else {
        spark.conf().set(key, each.getValue());
      }
    }
    Dataset<Row> rows = Rows.frame(spark, 0, ROWS);
    Dataset<Row> failing = rows.mapPartitions(new FailingOnce(), Encoders.row(rows.schema()));
    writer(failing, options).mode(SaveMode.ErrorIfExists).parquet(DIR + name);
    requireRows(spark, "parquet", DIR + name, RowModel.of(ROWS, id -> true));

    Dataset<Row> two = Rows.frame(spark, 0, 2 * ROWS).where("day IN (2, 5)");
    writer(two, options).mode(SaveMode.Overwrite).parquet(DIR + name);
    // A static overwrite removes all that was there, a dynamic one the days it has rows of.
    boolean all = spark.conf().get(OVERWRITE_MODE).equals("static");
    Map<Integer, List<Long>> expected =
        RowModel.of(
            2 * ROWS,
            id -> (id < ROWS && !all) || id % RowModel.DAYS == 2 || id % RowModel.DAYS == 5);
    requireRows(spark, "parquet", DIR + name, expected);
    Run.requireEquals(List.of(), leftOver(spark, DIR + name), name + " leaves nothing temporary");
    for (String key : settings.keySet()) {
      if (!key.startsWith("spark.hadoop.")) {
        spark.conf().unset(key);
      }
    }
    spark.conf().set(OVERWRITE_MODE, "dynamic");
  }

  private static DataFrameWriter<Row> writer(Dataset<Row> rows, Map<String, String> options) {
    return rows.write().partitionBy("day").options(options);
  }

  private static List<String> leftOver(SparkSession spark, String dir) throws Exception {
    FileSystem fs = Sessions.fileSystem(spark);
    List<String> found = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> files = fs.listFiles(new Path(dir), true);
    while (files.hasNext()) {
      String path = files.next().getPath().toUri().getPath();
      if (path.contains("_temporary") || path.contains(".spark-staging")) {
        found.add(path);
      }
    }
    return found;
  }

  private static void bucketed(Run run, SparkSession spark) {
    run.step("bucketed tables");
    for (String table : List.of("left_rows", "right_rows")) {
      Rows.frame(spark, 0, ROWS).write().bucketBy(4, "id").sortBy("id").saveAsTable(table);
    }
    spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
    Dataset<Row> joined =
        spark.sql(
            "SELECT l.id, l.day, r.text, l.number FROM left_rows l JOIN right_rows r ON l.id = r.id");
    String plan = joined.queryExecution().executedPlan().toString();
    Run.require(plan.contains("SortMergeJoin") && !plan.contains("hashpartitioning"), plan);
    Run.requireEquals(RowModel.of(ROWS, id -> true), Rows.fingerprint(joined), "bucketed join");
    String location =
        spark
            .sql("DESCRIBE EXTENDED left_rows")
            .where("col_name = 'Location'")
            .first()
            .getString(1);
    Run.require(location.startsWith("weft://blue/"), "the warehouse is at " + location);
  }

  /** Appends new rows, and overwrites one day with what it has: the table only grows. */
  private static int amid(Run run, SparkSession spark) throws Exception {
    String dir = DIR + "amid";
    int rounds =
        run.amid(
            "appends and overwrites",
            3,
            round -> {
              long first = (long) round * ROUND_ROWS;
              Rows.frame(spark, first, ROUND_ROWS)
                  .write()
                  .partitionBy("day")
                  .mode(SaveMode.Append)
                  .parquet(dir);
              Rows.frame(spark, 0, first + ROUND_ROWS)
                  .where("day = " + round % RowModel.DAYS)
                  .write()
                  .partitionBy("day")
                  .mode(SaveMode.Overwrite)
                  .parquet(dir);
            });
    requireRows(spark, "parquet", dir, RowModel.of((long) rounds * ROUND_ROWS, id -> true));
    return rounds;
  }

  private static void requireRows(
      SparkSession spark, String format, String dir, Map<Integer, List<Long>> expected) {
    Dataset<Row> read = spark.read().schema(Rows.SCHEMA).format(format).load(dir);
    Run.requireEquals(expected, Rows.fingerprint(read), dir);
  }
}
