package org.weft.cli.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.ContextInitializer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What peers say makes no log line of its own and no control reaches a terminal. */
class LogsTest {
  private static final String FORGED = "2026-01-01T00:00:00.000Z ERROR [main] weft - all is lost";

  @TempDir Path folder;

  @AfterEach
  void logAsBefore() throws Exception {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    new ContextInitializer(context).autoConfig();
  }

  private List<String> logged(String message, Exception failure) throws IOException {
    Path file = folder.resolve("daemon.log");
    Logs.toFile(file);
    LoggerFactory.getLogger(LogsTest.class).warn(message, failure);
    return Files.readAllLines(file, StandardCharsets.UTF_8);
  }

  @Test
  void aMessageStaysOneLineWithoutControls() throws IOException {
    List<String> lines = logged("peer said \u001b[31mred\r\n" + FORGED, null);
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.get(0).endsWith("peer said ?[31mred??" + FORGED), lines::toString);
  }

  @Test
  void linesOfAStackTraceAreIndented() throws IOException {
    List<String> lines = logged("refused", new IOException("said \u0007\n" + FORGED));
    assertTrue(lines.size() > 3, lines::toString);
    assertTrue(lines.get(1).contains("said ?"), lines::toString);
    for (String line : lines.subList(2, lines.size())) {
      assertTrue(line.startsWith("  "), line);
    }
  }

  @Test
  void standardErrorIsWrittenTheSameWay() throws IOException {
    try (InputStream source = LogsTest.class.getResourceAsStream("/logback.xml")) {
      String text = new String(source.readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(text.contains(LogPattern.MESSAGE), text);
    }
  }
}
