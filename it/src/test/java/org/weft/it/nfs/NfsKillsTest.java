package org.weft.it.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short run of {@code it/nfs-kills}, with gateways alone as victims. {@code
 * -Dweft.nfs.kills.seconds=N} has all kinds of victims for so long.
 */
@Tag("long")
class NfsKillsTest {
  private static final int SECONDS = 20;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path scratch;

  @Test
  void programsSeeNoErrorWhileGatewaysDie() throws Exception {
    int seconds = Integer.getInteger("weft.nfs.kills.seconds", 0);
    EnumSet<NfsFault.Victim> victims =
        seconds == 0 ? EnumSet.of(NfsFault.Victim.GATEWAYS) : EnumSet.allOf(NfsFault.Victim.class);
    NfsKillsReport report =
        NfsKillsRun.run(
            new NfsKillsOptions(
                scratch,
                seconds == 0 ? SECONDS : seconds,
                Long.getLong("weft.nfs.kills.seed", 20_261_129L),
                2,
                5,
                1,
                1,
                NfsFault.of(victims),
                Optional.empty()));
    report.print(System.out);
    assertEquals(List.of(), report.wrong());
    List<String> happened = new ArrayList<>();
    NfsFault.of(victims).forEach(fault -> happened.add("fault: " + fault.what()));
    happened.add("bytes compared");
    happened.add("calls sent again");
    happened.add("locks");
    happened.add("locks at the end");
    for (String what : happened) {
      assertTrue(report.counts().getOrDefault(what, 0L) > 0, what + " never happened");
    }
  }
}
