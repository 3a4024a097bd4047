package org.weft.bench.load;

import picocli.CommandLine.Option;

/** The options of one workload, for every command that runs one. Mix in. */
public final class CaseOptions {
  @Option(
      names = "--size",
      defaultValue = "256m",
      paramLabel = "SIZE",
      description =
          "Length of the files of streams, pread and random writes (default: ${DEFAULT-VALUE}).")
  private String size;

  @Option(
      names = "--files",
      defaultValue = "1000",
      paramLabel = "N",
      description = "Small files of each thread (default: ${DEFAULT-VALUE}).")
  private int files;

  @Option(
      names = "--per-dir",
      defaultValue = "0",
      paramLabel = "N",
      description =
          "Files in one directory, then comes the next one: create, stat, rename, delete, open-read,"
              + " small-write (default: all in one).")
  private int perDirectory;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Longest time of a repetition (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--stream-seconds",
      defaultValue = "0",
      paramLabel = "N",
      description =
          "Shortest time of a repetition of a stream: more files or passes (default: one).")
  private int streamSeconds;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Most operations of a thread in a repetition.")
  private long count = Long.MAX_VALUE;

  @Option(
      names = "--clients",
      defaultValue = "1",
      paramLabel = "N",
      description =
          "Sessions with connections of their own; the threads are dealt out to them (default:"
              + " ${DEFAULT-VALUE}).")
  private int clients;

  @Option(names = "--shared-dir", description = "All threads work in one directory.")
  private boolean sharedDirectory;

  @Option(
      names = "--cold",
      description =
          "New clients for each repetition, which meet each file once: stat, open and open-read.")
  private boolean cold;

  @Option(
      names = "--rest",
      defaultValue = "0",
      paramLabel = "SECONDS",
      description =
          "Wait so long before each repetition, when its files have been made: daemons do some of"
              + " that work behind (default: ${DEFAULT-VALUE}).")
  private int restSeconds;

  @Option(
      names = "--settle",
      defaultValue = "0",
      paramLabel = "SECONDS",
      description =
          "Wait so long after each repetition before the CPU is read: daemons do some of the work"
              + " behind (default: ${DEFAULT-VALUE}).")
  private int settleSeconds;

  @Option(names = "--verify", description = "Compare what is read; costs client CPU.")
  private boolean verify;

  /**
   * The settings of one workload.
   *
   * @throws IllegalArgumentException if an option makes no sense
   */
  public BenchSettings settings(String directory, int threads, int ioBytes) {
    return new BenchSettings(
        directory,
        threads,
        clients,
        Sizes.bytes(size),
        ioBytes,
        files,
        perDirectory,
        seconds,
        streamSeconds,
        count,
        sharedDirectory,
        cold,
        verify,
        restSeconds,
        settleSeconds);
  }
}
