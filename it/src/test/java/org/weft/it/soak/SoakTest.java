package org.weft.it.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short soak: what matters most, once. {@code -Dweft.soak.seconds=N} has every kind of fault for
 * so long, {@code -Dweft.soak.seed=N} chooses others.
 */
@Tag("long")
class SoakTest {
  private static final List<FaultKind> SHORT =
      List.of(
          FaultKind.FREEZE_CLIENT_LONG,
          FaultKind.KILL_OSD,
          FaultKind.KILL_MANAGER,
          FaultKind.KILL_CLIENT);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path scratch;

  @Test
  void whatWasAcknowledgedSurvivesKillsAndFreezesOfEverything() throws Exception {
    int seconds = Integer.getInteger("weft.soak.seconds", 0);
    List<FaultKind> kinds = seconds == 0 ? SHORT : FaultKind.bornBy(1, 1, false);
    SoakOptions options =
        new SoakOptions(
            scratch,
            seconds,
            Long.getLong("weft.soak.seed", 20_261_122L),
            SoakOptions.LEAST_OSDS,
            SoakOptions.LEAST_CLIENTS,
            1,
            1,
            false,
            kinds);
    SoakReport report = SoakRun.run(options);
    report.print(System.out);
    assertEquals(List.of(), report.violations());
    assertTrue(report.operations() > 0 && report.bytesVerified() > 0);
  }
}
