package org.weft.engines;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.zip.CRC32;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Rows whose every value follows from their id, made by Spark and, as the model, by Java alone. */
final class Rows {
  static final String SCHEMA = "id BIGINT, day INT, text STRING, number BIGINT";
  static final int DAYS = 7;
  private static final long FACTOR = 2_654_435_761L;
  private static final long MODULUS = 1_000_003;

  private Rows() {}

  /** Rows of the ids from first on, in four tasks. */
  static Dataset<Row> frame(SparkSession spark, long first, long count) {
    return spark
        .range(first, first + count, 1, 4)
        .selectExpr(
            "id",
            "cast(id % " + DAYS + " AS INT) AS day",
            "sha2(cast(id AS STRING), 256) AS text",
            "(id * " + FACTOR + ") % " + MODULUS + " AS number");
  }

  /** For each day: how many rows, and sums of all their columns. */
  static Map<Integer, List<Long>> fingerprint(Dataset<Row> rows) {
    Map<Integer, List<Long>> days = new TreeMap<>();
    List<Row> sums =
        rows.selectExpr("day", "id", "crc32(cast(text AS BINARY)) AS crc", "number")
            .groupBy("day")
            .agg(Map.of("*", "count", "id", "sum", "crc", "sum", "number", "sum"))
            .selectExpr("day", "`count(1)`", "`sum(id)`", "`sum(crc)`", "`sum(number)`")
            .collectAsList();
    for (Row row : sums) {
      days.put(
          row.getInt(0), List.of(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)));
    }
    return days;
  }

  /** The same of those ids below a bound that are wanted, without Spark and Weft. */
  static Map<Integer, List<Long>> model(long bound, LongPredicate wanted) {
    long[][] sums = new long[DAYS][4];
    for (long id = 0; id < bound; id++) {
      if (wanted.test(id)) {
        long[] day = sums[(int) (id % DAYS)];
        day[0]++;
        day[1] += id;
        day[2] += crc(sha256(Long.toString(id)));
        day[3] += id * FACTOR % MODULUS;
      }
    }
    Map<Integer, List<Long>> days = new TreeMap<>();
    for (int day = 0; day < DAYS; day++) {
      if (sums[day][0] > 0) {
        days.put(day, List.of(sums[day][0], sums[day][1], sums[day][2], sums[day][3]));
      }
    }
    return days;
  }

  /** One row as JSON. */
  static String json(long id) {
    return String.format(
        "{\"id\":%d,\"day\":%d,\"text\":\"%s\",\"number\":%d}",
        id, id % DAYS, sha256(Long.toString(id)), id * FACTOR % MODULUS);
  }

  private static long crc(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }

  private static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
