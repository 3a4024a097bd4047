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

/** The rows of jobs, whose every value follows from their id, made by Java alone. */
final class RowModel {
  static final int DAYS = 7;
  static final long FACTOR = 2_654_435_761L;
  static final long MODULUS = 1_000_003;

  private RowModel() {}

  /** For each day: how many rows of the wanted ids below a bound, and sums of all columns. */
  static Map<Integer, List<Long>> of(long bound, LongPredicate wanted) {
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

  /** One row as text: its columns with tabs between them. */
  static String line(long id) {
    return id + "\t" + id % DAYS + "\t" + sha256(Long.toString(id)) + "\t" + id * FACTOR % MODULUS;
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
