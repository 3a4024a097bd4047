package org.weft.it.stall;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** When daemons said something, by their logs: each line of a message begins with an instant. */
final class Shares {
  private final Path logs;

  Shares(Path logs) {
    this.logs = logs;
  }

  /** The first such line at or after a moment, in milliseconds after it. */
  OptionalLong after(long wallMillis, String daemons, String text) throws IOException {
    return moments(daemons, text).stream()
        .mapToLong(moment -> moment - wallMillis)
        .filter(after -> after >= 0)
        .min();
  }

  /** The last such line, as milliseconds since 1970. */
  OptionalLong last(String daemon, String text) throws IOException {
    return moments(daemon, text).stream().mapToLong(Long::longValue).max();
  }

  private List<Long> moments(String daemons, String text) throws IOException {
    List<Long> moments = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(logs, daemons + "*.log")) {
      for (Path file : files) {
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
          if (line.contains(text)) {
            moments.add(Instant.parse(line.substring(0, line.indexOf(' '))).toEpochMilli());
          }
        }
      }
    }
    return moments;
  }
}
