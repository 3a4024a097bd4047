package org.weft.engines;

import io.delta.storage.HDFSLogStore;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.delta.storage.DelegatingLogStore;
import org.apache.spark.sql.delta.storage.LogStoreAdaptor;

/** A Delta table that three processes append to: exactly one of them makes each version. */
final class DeltaJob implements Job {
  static final String PAGE = "docs/engines/delta.md";
  static final String TABLE = "weft://blue/jobs/delta/rows";
  private static final String RACE = "weft://blue/jobs/delta/race/_delta_log/";
  private static final int RACERS = 4;
  private static final int RACES = 30;

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Page page = run.page(PAGE);
    SparkSession spark = Sessions.of(run, page);
    run.step("the SQL of the page");
    int statements = Sessions.runSql(spark, page);
    requireDefaultLogStore(spark);
    Appends.frame(spark, 0, 0).limit(0).write().format("delta").partitionBy("day").save(TABLE);
    Sessions.fileSystem(spark).mkdirs(new Path(RACE));
    int rounds =
        Appends.ofThree(
            run,
            "delta-writer",
            number -> {
              race(Sessions.hadoop(spark), number);
              DeltaWriter.append(spark, 0, number);
            });
    int commits = Appends.count(rounds);
    run.step("verifying " + commits + " commits");
    Run.requireEquals(
        Appends.model(rounds),
        Rows.fingerprint(spark.read().format("delta").load(TABLE)),
        "all appends");
    requireVersions(Sessions.fileSystem(spark), TABLE + "/_delta_log", commits + 1);
    Run.requireEquals(
        (long) commits + 1,
        spark
            .read()
            .json(TABLE + "/_delta_log/*.json")
            .selectExpr("commitInfo.txnId AS txn")
            .where("txn IS NOT NULL")
            .distinct()
            .count(),
        "transactions in the log");
    for (int race = rounds; race < RACES; race++) {
      race(Sessions.hadoop(spark), race);
    }
    return commits
        + " commits of "
        + (Appends.OTHERS + 1)
        + " processes, each a version of its own; "
        + Math.max(rounds, RACES)
        + " races of "
        + RACERS
        + " writers for one version; "
        + statements
        + " statements of the page";
  }

  /**
   * Without a setting, weft:// is given the store that commits by a rename which overwrites
   * nothing.
   */
  private static void requireDefaultLogStore(SparkSession spark) {
    DelegatingLogStore delegating = new DelegatingLogStore(Sessions.hadoop(spark));
    Object chosen = delegating.getDelegate(new Path(TABLE));
    if (chosen instanceof LogStoreAdaptor adaptor) {
      chosen = adaptor.logStoreImpl();
    }
    Run.requireEquals(
        "HDFSLogStore", chosen.getClass().getSimpleName(), "the log store of weft://");
  }

  /** Of several writers of the same version one wins; what is read is what it wrote. */
  private static void race(Configuration conf, int version) throws Exception {
    Path file = new Path(RACE + String.format("%020d.json", version));
    CyclicBarrier start = new CyclicBarrier(RACERS);
    List<Callable<Boolean>> racers = new ArrayList<>();
    for (int racer = 0; racer < RACERS; racer++) {
      String line = "{\"racer\":" + racer + "}";
      HDFSLogStore store = new HDFSLogStore(conf);
      racers.add(
          () -> {
            start.await();
            try {
              store.write(file, List.of(line).iterator(), false, conf);
              return true;
            } catch (FileAlreadyExistsException e) {
              return false;
            }
          });
    }
    ExecutorService pool = Executors.newFixedThreadPool(RACERS);
    try {
      List<String> winners = new ArrayList<>();
      List<Future<Boolean>> ends = pool.invokeAll(racers);
      for (int racer = 0; racer < RACERS; racer++) {
        if (ends.get(racer).get()) {
          winners.add("{\"racer\":" + racer + "}");
        }
      }
      List<String> read = new ArrayList<>();
      try (var lines = new HDFSLogStore(conf).read(file, conf)) {
        lines.forEachRemaining(read::add);
      }
      Run.requireEquals(1, winners.size(), "winners of version " + version);
      Run.requireEquals(winners, read, "what version " + version + " holds");
    } finally {
      pool.shutdownNow();
    }
  }

  private static void requireVersions(FileSystem fs, String log, int versions) throws Exception {
    TreeSet<Long> expected = new TreeSet<>();
    for (long version = 0; version < versions; version++) {
      expected.add(version);
    }
    TreeSet<Long> found = new TreeSet<>();
    for (FileStatus each : fs.listStatus(new Path(log))) {
      String name = each.getPath().getName();
      if (name.matches("\\d{20}\\.json")) {
        found.add(Long.valueOf(name.substring(0, name.indexOf('.'))));
      }
    }
    Run.requireEquals(expected, found, "versions of the table");
  }
}
