package org.weft.hadoop;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.weft.client.ReadOptions;
import org.weft.client.stripe.read.ReadPattern;

/**
 * How a file is to be read, as Hadoop's {@code openFile} options say it: {@code
 * fs.option.openfile.read.policy}, of whose list the first policy that is known counts, {@code
 * fs.option.openfile.split.end}, and {@code fs.option.weft.verify-parity}. Files in columns are
 * read here and there and in order in between, which is found out while they are read.
 */
final class ReadPolicies {
  static final String VERIFY_PARITY = "fs.option.weft.verify-parity";

  private ReadPolicies() {}

  /** The options that are known, whether they are kept or are hints that may be let pass. */
  static Set<String> keys() {
    Set<String> keys = new TreeSet<>(OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS);
    keys.add(VERIFY_PARITY);
    return keys;
  }

  /**
   * The pattern of the first policy that is known.
   *
   * @param otherwise if none is
   */
  static ReadPattern patternOf(Collection<String> policies, ReadPattern otherwise) {
    for (String policy : policies) {
      switch (policy.trim().toLowerCase(Locale.ENGLISH)) {
        case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_DEFAULT:
          return otherwise;
        case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ADAPTIVE:
        case "columnar":
        case "orc":
        case "parquet":
          return ReadPattern.ADAPTIVE;
        case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_SEQUENTIAL:
        case "avro":
        case "csv":
        case "json":
          return ReadPattern.SEQUENTIAL;
        case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_WHOLE_FILE:
          return ReadPattern.WHOLE;
        case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_RANDOM:
        case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_VECTOR:
        case "hbase":
          return ReadPattern.RANDOM;
        default:
          // Of another file system, or a later Hadoop: the next one may be known.
      }
    }
    return otherwise;
  }

  /** The configuration's policy; null if it is none. */
  static ReadPattern patternOf(String policy) {
    return patternOf(List.of(policy), null);
  }

  /** What the options of one opening say, and the configuration where they say nothing. */
  static ReadOptions of(Configuration options, Settings settings) {
    Collection<String> policies =
        options.getTrimmedStringCollection(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY);
    long splitEnd = options.getLong(OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END, -1);
    return settings
        .reading()
        .withPattern(patternOf(policies, settings.reading().pattern()))
        .withLikelyEnd(splitEnd < 0 ? Long.MAX_VALUE : splitEnd)
        .withVerifiedParity(options.getBoolean(VERIFY_PARITY, settings.reading().verifyParity()));
  }
}
