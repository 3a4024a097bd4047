package org.weft.cli.quota;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.PrintableText;
import org.weft.client.WeftQuota;

/** Quotas as they are shown. */
final class QuotaText {
  private static final String ROW = "%-32s  %-7s %14s %14s %14s %5s  %s%n";

  private QuotaText() {}

  /** A table of two lines for each quota. */
  static String table(List<WeftQuota> quotas) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(ROW, "Directory", "", "Used", "Limit", "Soft limit", "Use%", "State"));
    for (WeftQuota quota : quotas) {
      WeftQuota.Limits limits = quota.limits();
      text.append(
          String.format(
              ROW,
              PrintableText.of(quota.path().toString()),
              "bytes",
              ByteText.of(quota.usedBytes()),
              limits.hardBytes() == 0 ? "-" : ByteText.of(limits.hardBytes()),
              limits.softBytes() == 0 ? "-" : ByteText.of(limits.softBytes()),
              percent(quota.usedBytes(), limits.hardBytes()),
              state(quota)));
      text.append(
          String.format(
              ROW,
              "",
              "files",
              ByteText.grouped(quota.usedFiles()),
              limits.hardFiles() == 0 ? "-" : ByteText.grouped(limits.hardFiles()),
              limits.softFiles() == 0 ? "-" : ByteText.grouped(limits.softFiles()),
              percent(quota.usedFiles(), limits.hardFiles()),
              quota.softFilesSinceMillis() == 0
                  ? ""
                  : "soft limit exceeded since " + time(quota.softFilesSinceMillis())));
    }
    return text.toString();
  }

  private static String state(WeftQuota quota) {
    if (quota.counting()) {
      return "being counted; nothing is refused yet";
    }
    StringBuilder state = new StringBuilder();
    if (quota.softBytesSinceMillis() != 0) {
      state.append("soft limit exceeded since ").append(time(quota.softBytesSinceMillis()));
    }
    if (quota.reservedBytes() != 0) {
      state
          .append(state.length() == 0 ? "" : "; ")
          .append(ByteText.of(quota.reservedBytes()))
          .append(" promised to open files");
    }
    return state.toString();
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** Rounded up: what is nearly full says so. */
  private static String percent(long used, long limit) {
    return limit == 0 ? "-" : (long) Math.ceil(100.0 * used / limit) + "%";
  }

  static ObjectNode json(WeftQuota quota) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    WeftQuota.Limits limits = quota.limits();
    node.put("path", quota.path().toString());
    put(node, "hardBytes", limits.hardBytes());
    put(node, "hardFiles", limits.hardFiles());
    put(node, "softBytes", limits.softBytes());
    put(node, "softFiles", limits.softFiles());
    node.put("usedBytes", quota.usedBytes());
    node.put("usedFiles", quota.usedFiles());
    node.put("reservedBytes", quota.reservedBytes());
    node.put("counting", quota.counting());
    put(node, "softBytesSinceMillis", quota.softBytesSinceMillis());
    put(node, "softFilesSinceMillis", quota.softFilesSinceMillis());
    return node;
  }

  private static void put(ObjectNode node, String name, long value) {
    if (value == 0) {
      node.putNull(name);
    } else {
      node.put(name, value);
    }
  }
}
