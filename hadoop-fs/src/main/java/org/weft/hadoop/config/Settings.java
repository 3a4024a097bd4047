package org.weft.hadoop.config;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;
import org.weft.client.ClientOptions;
import org.weft.client.HedgeOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.ReadOptions;
import org.weft.client.ReadPattern;

/**
 * The connector's keys as one file system instance found them.
 *
 * @param host what this machine is called in rows of OSDs; empty: as it calls itself
 * @param umask bits taken off the modes of new files and directories: Hadoop's {@code
 *     fs.permissions.umask-mode}
 * @param reading how files are read, if the caller that opens one does not say
 * @param fileChecksums whether files have checksums for Hadoop
 * @param layout how new files are cut, if not as their directory says
 */
public record Settings(
    long blockBytes,
    String homePrefix,
    String clientName,
    String host,
    int clientKeepMillis,
    int umask,
    int pageEntries,
    int parallelRequests,
    int callbackThreads,
    int writeWindowBytes,
    int readAheadBytes,
    int cachedEntries,
    int dataCacheBytes,
    ReadOptions reading,
    HedgeOptions hedges,
    int vectoredGapBytes,
    int vectoredMergedBytes,
    boolean fileChecksums,
    int connectTimeoutMillis,
    int attemptTimeoutMillis,
    int requestTimeoutMillis,
    int appendWaitMillis,
    Optional<LayoutSpec> layout) {
  /** One of what a key may say: the checksum of a file is of all its bytes. */
  static final String COMPOSITE_CRC32C = "composite-crc32c";

  /**
   * As long as HDFS's clients look for a serving NameNode. It is half of what MapReduce and YARN
   * grant a silent task.
   */
  static final int REQUEST_MILLIS = 300_000;

  private static final String NO_CHECKSUM = "none";

  /**
   * Reads and checks the keys.
   *
   * @throws IllegalArgumentException naming the key, its value and what it may be
   */
  public static Settings of(Configuration conf) {
    return new Settings(
        bytes(conf, ConnectorKey.BLOCK_BYTES, 4096, Long.MAX_VALUE / 2),
        homePrefix(conf),
        conf.getTrimmed(ConnectorKey.CLIENT_NAME.key(), ConnectorKey.CLIENT_NAME.defaultText()),
        conf.getTrimmed(ConnectorKey.HOST.key(), ConnectorKey.HOST.defaultText()),
        millis(conf, ConnectorKey.CLIENT_KEEP),
        FsPermission.getUMask(conf).toShort(),
        count(conf, ConnectorKey.PAGE_ENTRIES, 1, 10_000),
        count(conf, ConnectorKey.PARALLEL_REQUESTS, 1, 1_000),
        count(conf, ConnectorKey.CALLBACK_THREADS, 2, 1_000),
        (int) bytes(conf, ConnectorKey.WRITE_WINDOW, 1 << 20, 1 << 30),
        (int) bytes(conf, ConnectorKey.READ_AHEAD, 1 << 20, 1 << 30),
        count(conf, ConnectorKey.CACHED_ENTRIES, 0, ClientOptions.MAX_CACHED_ENTRIES),
        (int) bytes(conf, ConnectorKey.DATA_CACHE, 0, 1 << 30),
        reading(conf),
        hedges(conf),
        (int) bytes(conf, ConnectorKey.VECTORED_GAP, 0, 1 << 30),
        (int) bytes(conf, ConnectorKey.VECTORED_MERGED, 0, 1 << 30),
        fileChecksums(conf),
        millis(conf, ConnectorKey.CONNECT_TIMEOUT),
        millis(conf, ConnectorKey.ATTEMPT_TIMEOUT),
        millis(conf, ConnectorKey.REQUEST_TIMEOUT),
        millis(conf, ConnectorKey.APPEND_WAIT),
        LayoutOptions.ofKeys(conf));
  }

  private static ReadOptions reading(Configuration conf) {
    String policy =
        conf.getTrimmed(ConnectorKey.READ_POLICY.key(), ConnectorKey.READ_POLICY.defaultText());
    ReadPattern pattern = ReadPolicies.patternOf(policy);
    if (pattern == null) {
      throw refused(ConnectorKey.READ_POLICY, policy, "adaptive, sequential, whole-file or random");
    }
    return ReadOptions.defaults()
        .withPattern(pattern)
        .withVerifiedParity(truth(conf, ConnectorKey.VERIFY_PARITY));
  }

  private static HedgeOptions hedges(Configuration conf) {
    if (!truth(conf, ConnectorKey.HEDGED_READS)) {
      return HedgeOptions.off();
    }
    HedgeOptions usual = HedgeOptions.defaults();
    int leastMillis = millis(conf, ConnectorKey.HEDGED_LEAST);
    return new HedgeOptions(
        true, leastMillis, Math.max(leastMillis, usual.mostMillis()), usual.budgetPercent());
  }

  private static boolean truth(Configuration conf, ConnectorKey key) {
    String text = conf.getTrimmed(key.key(), key.defaultText());
    if (!text.equals("true") && !text.equals("false")) {
      throw refused(key, text, "true or false");
    }
    return text.equals("true");
  }

  private static boolean fileChecksums(Configuration conf) {
    String text =
        conf.getTrimmed(ConnectorKey.FILE_CHECKSUM.key(), ConnectorKey.FILE_CHECKSUM.defaultText());
    if (!text.equals(COMPOSITE_CRC32C) && !text.equals(NO_CHECKSUM)) {
      throw refused(ConnectorKey.FILE_CHECKSUM, text, COMPOSITE_CRC32C + " or " + NO_CHECKSUM);
    }
    return text.equals(COMPOSITE_CRC32C);
  }

  private static String homePrefix(Configuration conf) {
    String prefix =
        conf.getTrimmed(ConnectorKey.HOME_PREFIX.key(), ConnectorKey.HOME_PREFIX.defaultText());
    if (!prefix.startsWith("/")) {
      throw refused(ConnectorKey.HOME_PREFIX, prefix, "an absolute path");
    }
    return prefix.equals("/") ? "" : prefix;
  }

  private static long bytes(Configuration conf, ConnectorKey key, long least, long most) {
    String text = conf.getTrimmed(key.key(), key.defaultText());
    long value;
    try {
      value = parseBytes(text);
    } catch (IllegalArgumentException e) {
      throw refused(key, text, "a number of bytes as in 65536, 64k or 4m");
    }
    if (value < least || value > most) {
      throw refused(key, text, least + " to " + most + " bytes");
    }
    return value;
  }

  /** A number with or without one of the letters k, m, g, t. */
  static long parseBytes(String text) {
    return org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix.string2long(text);
  }

  private static int count(Configuration conf, ConnectorKey key, int least, int most) {
    String text = conf.getTrimmed(key.key(), key.defaultText());
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw refused(key, text, "a number");
    }
    throw refused(key, text, least + " to " + most);
  }

  private static int millis(Configuration conf, ConnectorKey key) {
    long value = conf.getTimeDuration(key.key(), key.defaultText(), TimeUnit.MILLISECONDS);
    if (value <= 0 || value > Integer.MAX_VALUE) {
      throw refused(key, conf.getTrimmed(key.key()), "1ms to " + Integer.MAX_VALUE + "ms");
    }
    return (int) value;
  }

  private static IllegalArgumentException refused(ConnectorKey key, String value, String allowed) {
    return new IllegalArgumentException(
        key.key() + " must be " + allowed + ", got '" + value + "'");
  }
}
