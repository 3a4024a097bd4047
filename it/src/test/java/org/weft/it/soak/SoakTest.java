package org.weft.it.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.SoakFault;
import org.weft.soak.SoakOptions;
import org.weft.soak.SoakReport;
import org.weft.soak.SoakRun;

/**
 * A short soak: what matters most, once. {@code -Dweft.soak.seconds=N} has every kind of fault for
 * so long, {@code -Dweft.soak.seed=N} chooses others.
 */
@Tag("long")
class SoakTest {
  private static final List<SoakFault> SHORT =
      List.of(
          SoakFault.FREEZE_CLIENT_LONG,
          SoakFault.KILL_OSD,
          SoakFault.KILL_MANAGER,
          SoakFault.KILL_CLIENT);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path scratch;

  @Test
  void acknowledgedBytesSurviveKillsAndFreezes() throws Exception {
    int seconds = Integer.getInteger("weft.soak.seconds", 0);
    List<SoakFault> kinds = seconds == 0 ? SHORT : SoakFault.bornBy(1, 1, false);
    SoakOptions options =
        new SoakOptions(
            scratch,
            seconds,
            Long.getLong("weft.soak.seed", 20_261_122L),
            SoakOptions.MIN_OSDS,
            SoakOptions.MIN_CLIENTS,
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
