package org.weft.osd.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.Refusals.refused;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.OsdDaemon;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.seam.BootIdentity;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.JoinRequest;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/**
 * P 5.9: only a stop without a clean mark and a boot of the machine together make contents suspect.
 */
class UncleanStopTest {
  private static final BootIdentity NEXT_BOOT = () -> "the next boot";

  @TempDir Path directory;
  private final SystemEnvironment system = SystemEnvironment.create();
  private final FakeCluster cluster = FakeCluster.seeded(5).heartbeatMillis(20);
  private FakeSysmgr sysmgr;

  @BeforeEach
  void killAnOsd() throws Exception {
    sysmgr = FakeSysmgr.start(system.environment().transport(), cluster);
    OsdProcess process =
        OsdProcess.start(
            data(), directory.resolve("scratch"), sysmgr.address(), cluster.joinToken());
    process.awaitReady();
    process.kill();
  }

  @AfterEach
  void stop() {
    sysmgr.close();
    system.close();
  }

  private Path data() {
    return directory.resolve("osd");
  }

  private OsdDaemon start(Environment environment) throws Exception {
    return OsdDaemon.start(OsdRig.options(data(), cluster, List.of(sysmgr.address())), environment);
  }

  private Environment afterReboot() {
    Environment now = system.environment();
    return new Environment(
        now.clock(), now.ticker(), now.scheduler(), now.random(), now.transport(), NEXT_BOOT);
  }

  private JoinRequest lastJoin() {
    List<JoinRequest> joins = cluster.joins();
    return joins.get(joins.size() - 1);
  }

  @Test
  void aKilledProcessLosesNothingSoNothingIsSuspect() throws Exception {
    try (OsdDaemon osd = start(system.environment())) {
      assertEquals(2, lastJoin().getIncarnation());
      assertFalse(lastJoin().getUnclean());
      assertEquals(1, osd.osdId().value());
    }
  }

  @Test
  void aRebootAfterAKillIsToldToSysMgrOnce() throws Exception {
    try (OsdDaemon osd = start(afterReboot())) {
      assertTrue(lastJoin().getUnclean());
      assertEquals(1, osd.osdId().value());
    }
    start(afterReboot()).close();
    assertFalse(lastJoin().getUnclean());
  }

  @Test
  void aRebootIsToldAgainWhenSysMgrDidNotAnswer() throws Exception {
    sysmgr.lead(false);
    var hasty = OsdRig.hasty(OsdRig.options(data(), cluster, List.of(sysmgr.address())));
    refused(ErrorCode.UNAVAILABLE, () -> OsdDaemon.start(hasty, afterReboot()).close());
    sysmgr.lead(true);
    try (OsdDaemon osd = start(afterReboot())) {
      assertTrue(lastJoin().getUnclean());
      assertEquals(1, osd.osdId().value());
    }
  }

  @Test
  void aRebootAfterACleanStopIsNotReported() throws Exception {
    start(system.environment()).close();
    try (OsdDaemon osd = start(afterReboot())) {
      assertFalse(lastJoin().getUnclean());
      assertEquals(1, osd.osdId().value());
    }
  }
}
