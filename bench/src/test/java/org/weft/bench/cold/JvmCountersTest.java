package org.weft.bench.cold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmCountersTest {
  @TempDir private Path dir;

  @Test
  void anEndedJvmLeavesItsCounts() throws Exception {
    JvmCounters read = counted();
    assertTrue(read.classes() > 100, read.toString());
    assertTrue(read.methods() > 0, read.toString());
    assertTrue(read.jitMillis() >= 0, read.toString());
  }

  @Test
  void aJvmThatOnlyInterpretsCompiledNothing() throws Exception {
    JvmCounters read = counted("-Xint");
    assertTrue(read.classes() > 100, read.toString());
    assertEquals(0, read.methods());
    assertEquals(0, read.jitMillis());
  }

  private JvmCounters counted(String... options) throws Exception {
    Path counters = dir.resolve("counters");
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(JvmCounters.kept(counters));
    line.addAll(List.of(options));
    line.add("-version");
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("out").toFile())
            .start();
    assertEquals(0, process.waitFor());
    return JvmCounters.read(counters);
  }

  @Test
  void countersAreReadByTheirNames() throws IOException {
    assertEquals(
        new JvmCounters(432, 31, 2_500),
        JvmCounters.parse(
            """
            java.ci.totalTime=2500000000
            java.cls.loadedClasses=32
            java.cls.sharedLoadedClasses=400
            java.property.java.class.path="a=b"
            sun.ci.osrCompiles=1
            sun.ci.standardCompiles=30
            sun.os.hrt.frequency=1000000000
            """));
    assertThrows(IOException.class, () -> JvmCounters.parse("sun.ci.osrCompiles=1"));
  }
}
