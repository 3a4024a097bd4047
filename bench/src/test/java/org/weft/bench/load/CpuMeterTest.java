package org.weft.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuMeterTest {
  @Test
  void threadsOfTheKernelComeAndGo() {
    CpuMeter.Reading before =
        new CpuMeter.Reading(Map.of("osd", 5.0), Map.of(7L, 3.0, 8L, 1.0), 100);
    CpuMeter.Reading after =
        new CpuMeter.Reading(Map.of("osd", 7.0), Map.of(7L, 3.5, 9L, 0.25), 104);

    assertEquals(Map.of("osd", 2.0, "kernel", 0.75), after.since(before));
    assertEquals(1.25, after.othersSince(before), 1e-9);
  }

  @Test
  void theKernelIsAKindOnlyIfItWasAskedFor() throws IOException {
    CpuMeter meter = new CpuMeter();
    assertFalse(meter.read().since(meter.read()).containsKey(CpuMeter.KERNEL));

    meter.addKernel();
    assertTrue(meter.read().kernel().size() > 1);
  }

  @Test
  void aDaemonThatDiedIsNotLookedFor(@TempDir Path data) throws Exception {
    Process child = new ProcessBuilder("sleep", "60").start();
    Files.createDirectories(data.resolve("run"));
    Files.writeString(data.resolve("run/osd-1.pid"), child.pid() + "\n");
    CpuMeter meter = new CpuMeter();
    meter.addQuickstart(data);
    double seen = meter.read().byKind().get("osd");
    child.destroyForcibly();
    var unused = child.waitFor();

    // One that was seen counts on with what it had, one that was not is no kind.
    assertEquals(seen, meter.read().byKind().get("osd"));
    CpuMeter later = new CpuMeter();
    later.addQuickstart(data);
    assertFalse(later.read().byKind().containsKey("osd"));
    CpuMeter asked = new CpuMeter();
    asked.add("osd", child.pid());
    assertThrows(IOException.class, asked::read);
  }
}
