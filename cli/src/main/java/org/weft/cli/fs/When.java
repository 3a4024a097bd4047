package org.weft.cli.fs;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.TimeLetter;
import org.weft.client.WeftPath;

/**
 * A moment as people write it. It may be an age (90s, 30m, 12h, 7d) or the last change of a file of
 * the cluster (/PATH). It may also be a day or a time (2026-11-21, 2026-11-21T10:00). A time that
 * is not of this machine's zone has Z or an offset.
 */
final class When {
  private static final Pattern AGO = Pattern.compile("(\\d{1,9})([smhd])");

  private When() {}

  /**
   * Refuses what is no moment.
   *
   * @param text null: nothing to check
   */
  static void check(String name, String text) {
    if (text == null || text.startsWith("/")) {
      return;
    }
    try {
      var unused = parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          name
              + ": expected 90s, 30m, 12h, 7d, 2026-11-21, 2026-11-21T10:00 or a path, got "
              + text,
          e);
    }
  }

  /** Wall clock. */
  static long millis(RemoteFiles files, String text) throws IOException {
    if (text.startsWith("/")) {
      WeftPath path = WeftPath.of(text);
      return files.find(path).orElseThrow(() -> FilesOperation.notFound(path)).mtimeMillis();
    }
    return parse(text).toEpochMilli();
  }

  private static Instant parse(String text) {
    Matcher ago = AGO.matcher(text);
    if (ago.matches()) {
      Duration back =
          Duration.of(
              Long.parseLong(ago.group(1)), TimeLetter.unit(ago.group(2).charAt(0)).toChronoUnit());
      return Instant.now().minus(back);
    }
    if (text.indexOf('T') < 0) {
      return LocalDate.parse(text).atStartOfDay(ZoneId.systemDefault()).toInstant();
    }
    boolean offset = text.matches(".*(Z|[+-]\\d\\d:\\d\\d)");
    return offset
        ? OffsetDateTime.parse(text).toInstant()
        : LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toInstant();
  }
}
