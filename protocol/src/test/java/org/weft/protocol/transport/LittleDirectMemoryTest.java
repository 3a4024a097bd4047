package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where direct memory is short, an event loop that decodes frames does not wait for it. */
class LittleDirectMemoryTest {
  @Test
  @Timeout(120)
  void payloadsTakeHeapMemoryWithoutWaitingForGarbageCollection() throws Exception {
    String tests = System.getProperty("surefire.test.class.path");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xms512m",
                "-Xmx512m",
                "-XX:MaxDirectMemorySize=64m",
                "-Dio.netty.tryReflectionSetAccessible=false",
                "-cp",
                tests == null ? System.getProperty("java.class.path") : tests,
                LittleDirectMemoryProgram.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .start();
    try {
      List<String> lines =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> line.matches("[a-z]+ [0-9 ]+"))
              .toList();
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the program does not end");
      assertEquals(
          List.of("arrived 48", "refused 0", "collections 0"),
          lines.subList(0, Math.min(3, lines.size())),
          lines::toString);
    } finally {
      process.destroyForcibly();
    }
  }
}
