package org.weft.hadoop.config;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.weft.client.ReadOptions;
import org.weft.client.ReadPattern;

/**
 * How a file is to be read, by Hadoop's {@code openFile} options. Of the list in {@code
 * fs.option.openfile.read.policy}, the first known policy counts. {@code
 * fs.option.openfile.split.end} and {@code fs.option.weft.verify-parity} count as well. Files in
 * columns are read here and there and in order in between, which is found out while they are read.
 */
public final class ReadPolicies {
  public static final String VERIFY_PARITY = "fs.option.weft.verify-parity";

  private ReadPolicies() {}

  /** The options that are known, whether they are kept or are hints that may be let pass. */
  public static Set<String> keys() {
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
          // A policy of another file system, or of a later Hadoop: the next one may be known.
      }
    }
    return otherwise;
  }

  /** The configuration's policy; null if it is none. */
  static ReadPattern patternOf(String policy) {
    return patternOf(List.of(policy), null);
  }

  /**
   * What the options of one opening say, and the configuration where they say nothing. Hadoop looks
   * every key up in several tables: only those are asked for that the caller has set.
   */
  public static ReadOptions of(OpenFileParameters parameters, Settings settings) {
    Configuration options = parameters.getOptions();
    ReadOptions reading = settings.reading();
    if (isSet(parameters, OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY)) {
      reading = reading.withPattern(patternOf(policies(options), reading.pattern()));
    }
    if (isSet(parameters, OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END)) {
      long splitEnd = options.getLong(OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END, -1);
      reading = reading.withLikelyEnd(splitEnd < 0 ? Long.MAX_VALUE : splitEnd);
    }
    if (isSet(parameters, VERIFY_PARITY)) {
      reading =
          reading.withVerifiedParity(options.getBoolean(VERIFY_PARITY, reading.verifyParity()));
    }
    return reading;
  }

  /** Hadoop compiles a pattern for every list that it takes apart: one policy is none. */
  private static Collection<String> policies(Configuration options) {
    String all = options.getTrimmed(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, "");
    return all.indexOf(',') < 0 && all.indexOf('\n') < 0
        ? List.of(all)
        : options.getTrimmedStringCollection(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY);
  }

  private static boolean isSet(OpenFileParameters parameters, String key) {
    Set<String> hints = parameters.getOptionalKeys();
    // A caller of Hadoop's inner parts may leave them out.
    return hints == null || hints.contains(key) || parameters.getMandatoryKeys().contains(key);
  }
}
