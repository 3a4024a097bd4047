package org.weft.cli.fs;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.ModeText;
import org.weft.cli.output.PrintableText;
import org.weft.client.FileStatus;
import org.weft.protocol.layout.Layout;

/**
 * Long listing lines: mode, code, owner, group, size, time, path. Columns are as wide as the widest
 * so far, so that listings printed in parts stay in line. Not thread-safe.
 */
final class LsFormat {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT);

  private final boolean human;
  private final ZoneId zone;
  private int codeWidth = 1;
  private int ownerWidth = 1;
  private int groupWidth = 1;
  private int sizeWidth = 1;
  private boolean anyAcl;

  LsFormat(boolean human, ZoneId zone) {
    this.human = human;
    this.zone = zone;
  }

  /** These entries are printed next. */
  void fit(List<FileStatus> statuses) {
    for (FileStatus status : statuses) {
      codeWidth = Math.max(codeWidth, codeOf(status).length());
      ownerWidth = Math.max(ownerWidth, status.owner().length());
      groupWidth = Math.max(groupWidth, status.group().length());
      sizeWidth = Math.max(sizeWidth, size(status).length());
      anyAcl |= status.hasAcl();
    }
  }

  String line(FileStatus status) {
    StringBuilder line = new StringBuilder(96);
    line.append(ModeText.of(status.type(), status.mode()));
    if (anyAcl) {
      line.append(status.hasAcl() ? '+' : ' ');
    }
    right(line, codeOf(status), codeWidth);
    left(line, status.owner(), ownerWidth);
    left(line, status.group(), groupWidth);
    right(line, size(status), sizeWidth);
    line.append("  ")
        .append(TIME.format(Instant.ofEpochMilli(status.mtimeMillis()).atZone(zone)))
        .append("  ")
        .append(PrintableText.of(status.path().toString()));
    status
        .symlinkTarget()
        .ifPresent(target -> line.append(" -> ").append(PrintableText.of(target)));
    return line.toString();
  }

  /** "4+1": data and parity units of a stripe; several groups as "4+1x7". */
  static String code(Layout layout) {
    String code = layout.dataUnits() + "+" + layout.parityUnits();
    return layout.groups() > 1 ? code + "x" + layout.groups() : code;
  }

  private static String codeOf(FileStatus status) {
    return status.layout().map(LsFormat::code).orElse("-");
  }

  private String size(FileStatus status) {
    if (status.isDirectory()) {
      return "-";
    }
    return human ? ByteText.of(status.sizeBytes()) : Long.toString(status.sizeBytes());
  }

  private static void left(StringBuilder line, String text, int width) {
    line.append("  ").append(text).append(" ".repeat(Math.max(0, width - text.length())));
  }

  private static void right(StringBuilder line, String text, int width) {
    line.append("  ").append(" ".repeat(Math.max(0, width - text.length()))).append(text);
  }
}
