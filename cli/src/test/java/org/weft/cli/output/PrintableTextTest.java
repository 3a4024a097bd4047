package org.weft.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class PrintableTextTest {
  @Test
  void forgedMessageCannotAddControlsOrLinesToATrace() {
    Exception failure =
        new IllegalStateException(
            "osd \u001b[2J\r\nweft: all is well",
            new IllegalArgumentException("below\nweft: \u009b31m forged"));
    String shown = PrintableText.ofTrace(failure);
    List<String> lines = shown.lines().toList();
    assertTrue(lines.get(0).startsWith("java.lang.IllegalStateException: osd \\u001b[2J"), shown);
    assertTrue(lines.stream().skip(1).allMatch(line -> line.startsWith("  ")), shown);
    assertEquals(
        0, lines.stream().flatMapToInt(String::chars).filter(Character::isISOControl).count());
  }
}
