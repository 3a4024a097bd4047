package org.weft.engines;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs the job that is named, or a process of one; ends with 0 if everything was as it must be. */
public final class Jobs {
  /** By name, so that none is loaded whose engine is not on the class path. */
  private static final Map<String, String> JOBS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("spark-sql", "SparkSqlJob"),
              Map.entry("streaming", "StreamingJob"),
              Map.entry("streaming-driver", "StreamingDriver"),
              Map.entry("iceberg", "IcebergJob"),
              Map.entry("iceberg-writer", "IcebergWriter"),
              Map.entry("delta", "DeltaJob"),
              Map.entry("delta-writer", "DeltaWriter"),
              Map.entry("mapreduce", "MapReduceJob"),
              Map.entry("yarn", "YarnJob"),
              Map.entry("yarn-cluster", "YarnCluster"),
              Map.entry("hive", "HiveJob"),
              Map.entry("flink", "FlinkJob"),
              Map.entry("flink-driver", "FlinkDriver"),
              Map.entry("distcp", "DistCpJob"),
              Map.entry("hbase-wal", "HBaseWalJob"),
              Map.entry("hbase-writer", "HBaseWriter")));

  private Jobs() {}

  /**
   * Runs one job.
   *
   * @param arguments the job, then the five of {@link Run#of}, then what the job takes
   */
  public static void main(String[] arguments) {
    if (arguments.length < 1 + Run.ARGUMENTS || !JOBS.containsKey(arguments[0])) {
      System.err.println("jobs: expected one of " + JOBS.keySet() + "; it/jobs gives the rest");
      System.exit(2);
    }
    try {
      System.out.println("verified: " + run(Arrays.asList(arguments)));
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
    // Engines leave threads behind.
    System.exit(0);
  }

  private static String run(List<String> words) throws Exception {
    Run run = Run.of(words.subList(1, 1 + Run.ARGUMENTS));
    Class<?> job = Class.forName(Jobs.class.getPackageName() + "." + JOBS.get(words.get(0)));
    return ((Job) job.getDeclaredConstructor().newInstance())
        .run(run, words.subList(1 + Run.ARGUMENTS, words.size()));
  }
}
