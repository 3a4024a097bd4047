package org.weft.it.nfs.peers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The checks of {@code it/nfs-peers} that need no portmapper and thus not port 111. Those whose
 * program is not installed are skipped.
 */
@Tag("long")
class NfsPeersTest {
  @TempDir static Path scratch;

  private static PeerCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = new PeerCluster(scratch);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> peers() {
    return NfsPeers.direct(cluster).stream()
        .map(
            check ->
                DynamicTest.dynamicTest(
                    check.peer() + " " + check.what(),
                    () -> {
                      Optional<String> missing = PeerReport.missing(check);
                      assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
                      check.body().run();
                    }));
  }
}
