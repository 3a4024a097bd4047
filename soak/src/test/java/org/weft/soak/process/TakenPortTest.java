package org.weft.soak.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.Empty;

/** A cluster whose port another process takes is started anew, on other ports. */
class TakenPortTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  /** Of the first OSD, behind a base. */
  private static final int OSD = 100;

  @TempDir Path scratch;

  @Test
  void daemonMessageOfATakenPortIsRecognised() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK);
        SystemEnvironment system = SystemEnvironment.create()) {
      CompletableFuture<?> listening =
          system
              .environment()
              .transport()
              .listen(
                  new Endpoint("127.0.0.1", taken.getLocalPort()),
                  ListenOptions.of(Optional::empty, "osd-1", 1),
                  request -> request.reply(Empty.getDefaultInstance()))
              .toCompletableFuture();
      Throwable refused = assertThrows(CompletionException.class, listening::join).getCause();
      assertTrue(DaemonCluster.isPortTaken("osd-1: " + refused.getMessage()), refused::toString);
    }
  }

  @Test
  void libraryMessageOfATakenPortIsRecognised() {
    for (String said :
        List.of(
            "port 5338 on 127.0.0.1 is taken by java (pid 7); stop that",
            "port 5002 for the REST interface (127.0.0.1:5002) cannot be listened on: another"
                + " process has taken it",
            "cannot listen on /127.0.0.1:5350: bind(..) failed: Address already in use; choose"
                + " another address or port",
            "cannot listen for datagrams on /127.0.0.1:5350: Address already in use; stop it")) {
      assertTrue(DaemonCluster.isPortTaken("a line\n" + said + "\nanother"), said);
    }
    assertFalse(
        DaemonCluster.isPortTaken("cannot listen on 10.9.9.9:5338: that is no address of it"));
  }

  @Test
  void clusterStartsOnOtherPortsAfterATakenOne() throws Exception {
    int taken = FreePorts.base(2);
    Deque<Integer> bases = new ArrayDeque<>(List.of(taken));
    try (ServerSocket another = new ServerSocket(taken + OSD, 1, LOOPBACK);
        DaemonCluster cluster =
            DaemonCluster.start(
                scratch, () -> bases.isEmpty() ? otherBase(taken) : bases.remove(), 2)) {
      assertTrue(another.isBound());
      assertFalse(cluster.port() == taken);
      assertEquals(2, cluster.osds());
      cluster.stop();
    }
  }

  /** With no port of the first base. */
  private static int otherBase(int taken) {
    int base;
    do {
      base = FreePorts.base(2);
    } while (Math.abs(base - taken) <= OSD + 2);
    return base;
  }
}
