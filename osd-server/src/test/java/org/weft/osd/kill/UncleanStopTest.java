package org.weft.osd.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.Refusals.refused;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
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

  private static final FakeCluster cluster = FakeCluster.seeded(5).heartbeatMillis(20);

  /** What a killed process has left. Each test has a copy of it. */
  @TempDir static Path killed;

  @TempDir Path directory;
  private final SystemEnvironment system = SystemEnvironment.create();
  private FakeSysmgr sysmgr;

  @BeforeAll
  static void killAnOsd() throws Exception {
    try (SystemEnvironment system = SystemEnvironment.create();
        FakeSysmgr sysmgr = FakeSysmgr.start(system.environment().transport(), cluster)) {
      OsdProcess process =
          OsdProcess.start(
              killed.resolve("osd"),
              killed.resolve("scratch"),
              sysmgr.address(),
              cluster.joinToken());
      process.awaitReady();
      process.kill();
    }
  }

  @BeforeEach
  void copyWhatIsLeft() throws Exception {
    sysmgr = FakeSysmgr.start(system.environment().transport(), cluster);
    Path from = killed.resolve("osd");
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, data().resolve(from.relativize(file)));
      }
    }
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
