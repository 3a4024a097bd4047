package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.WeftPath;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.Nfs3Client;

/** What is left when a gateway is killed, or stops, with clients that keep what was UNSTABLE. */
class GatewayKillTest {
  private static final int UNSTABLE = Nfs3Client.UNSTABLE;
  private static final int PIECE = 10_000;

  /** Of any layout here. */
  private static final int WHOLE_STRIPES = 1 << 20;

  @TempDir static Path data;

  private static TestCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static byte[] bytes(int seed, int count) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] contentOf(String path) throws Exception {
    try (var in = cluster.client().files().open(WeftPath.of(path))) {
      return in.readAllBytes();
    }
  }

  private static byte[] create(Nfs3Client client, String name) {
    byte[] root = client.mount("/").handle;
    Nfs3Client.Result made = client.create(root, name, true, Nfs3Client.Set.mode(0644));
    assertEquals(Nfs3Client.OK, made.status);
    return made.handle;
  }

  private static GatewayJvm gateway(int port) throws Exception {
    return GatewayJvm.start(cluster.sysmgr(), cluster.joinToken(), port);
  }

  /** RFC 1813 3.3.21: a client sends again what it wrote under another verifier. */
  @ParameterizedTest
  @ValueSource(ints = {PIECE, WHOLE_STRIPES})
  void clientResendsUnstableBytesToTheNextGateway(int pieceBytes) throws Exception {
    String name = "resent-" + pieceBytes;
    byte[] content = bytes(1, 20 * pieceBytes);
    long[] verifiers = new long[20];
    byte[] handle;
    int port;
    try (GatewayJvm first = gateway(0)) {
      port = first.address().port();
      Nfs3Client client = cluster.connect(first.address(), 0, 0);
      handle = create(client, name);
      for (int i = 0; i < verifiers.length; i++) {
        byte[] piece = Arrays.copyOfRange(content, i * pieceBytes, (i + 1) * pieceBytes);
        Nfs3Client.Result written = client.write(handle, (long) i * pieceBytes, UNSTABLE, piece);
        assertEquals(Nfs3Client.OK, written.status);
        assertEquals(UNSTABLE, written.committed);
        verifiers[i] = written.verifier;
      }
      first.kill();
    }
    try (GatewayJvm second = gateway(port)) {
      Nfs3Client client = cluster.connect(second.address(), 0, 0);
      long committed = client.commit(handle, 0, 0).verifier;
      for (int i = 0; i < verifiers.length; i++) {
        assertNotEquals(verifiers[i], committed, "else the client would forget its bytes");
        byte[] piece = Arrays.copyOfRange(content, i * pieceBytes, (i + 1) * pieceBytes);
        verifiers[i] = client.write(handle, (long) i * pieceBytes, UNSTABLE, piece).verifier;
      }
      Nfs3Client.Result again = client.commit(handle, 0, 0);
      assertEquals(Nfs3Client.OK, again.status);
      assertEquals(verifiers[0], again.verifier);
      second.kill();
    }
    assertArrayEquals(content, contentOf("/" + name));
  }

  @Test
  void stableAndCommittedBytesSurviveTheKill() throws Exception {
    byte[] stable = bytes(2, 3 * PIECE);
    byte[] committed = bytes(3, 300_000);
    try (GatewayJvm gateway = gateway(0)) {
      Nfs3Client client = cluster.connect(gateway.address(), 0, 0);
      byte[] one = create(client, "stable");
      byte[] two = create(client, "committed");
      assertEquals(
          Nfs3Client.FILE_SYNC, client.write(one, 0, Nfs3Client.FILE_SYNC, stable).committed);
      long verifier = client.write(two, 0, UNSTABLE, committed).verifier;
      assertEquals(verifier, client.commit(two, 0, 0).verifier);
      gateway.kill();
    }
    assertArrayEquals(stable, contentOf("/stable"));
    assertArrayEquals(committed, contentOf("/committed"));
  }

  @Test
  void cleanlyStoppedGatewayLeavesNothingBehind() throws Exception {
    byte[] content = bytes(4, 300_000);
    NfsDaemon gateway = cluster.gateway();
    Nfs3Client client = cluster.connect(gateway.address(), 0, 0);
    byte[] handle = create(client, "flushed");
    long verifier = client.write(handle, 0, UNSTABLE, content).verifier;
    gateway.close();
    assertArrayEquals(content, contentOf("/flushed"));
    NfsDaemon next = cluster.gateway();
    try {
      Nfs3Client again = cluster.connect(next.address(), 0, 0);
      assertNotEquals(verifier, again.commit(handle, 0, 0).verifier);
    } finally {
      next.close();
    }
  }

  @Test
  void handlesAreGoodAtEveryGatewayAndAfterItsKill() throws Exception {
    byte[] handle;
    try (GatewayJvm gateway = gateway(0)) {
      handle = create(cluster.connect(gateway.address(), 0, 0), "kept");
    }
    NfsDaemon other = cluster.gateway();
    try {
      Nfs3Client client = cluster.connect(other.address(), 0, 0);
      assertEquals(Nfs3Client.OK, client.getAttr(handle).status);
      assertArrayEquals(handle, client.lookup(client.mount("/").handle, "kept").handle);
    } finally {
      other.close();
    }
  }
}
