package org.weft.it.nfs.peers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.dcache.oncrpc4j.portmap.GenericPortmapClient;
import org.dcache.oncrpc4j.portmap.rpcb;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.RpcAccepsStatus;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;

/** The RPC, XDR and portmap client of oncrpc4j. */
final class Oncrpc4jChecks {
  private static final String PEER = "oncrpc4j";
  private static final int TRANSFER_BYTES = 1 << 20;
  private static final int PORTMAP_PORT = 111;
  private static final int FATTR_BYTES = 84;
  private static final int DENIED = 1;

  /** Not served. */
  private static final int NFS_ACL = 100_227;

  private final PeerCluster cluster;
  private final int port;

  /**
   * @param port of the gateway
   */
  Oncrpc4jChecks(PeerCluster cluster, int port) {
    this.cluster = cluster;
    this.port = port;
  }

  private static PeerCheck check(String what, PeerCheck.Body body) {
    return new PeerCheck(PEER, what, List.of(), body);
  }

  List<PeerCheck> direct() {
    return List.of(
        check("writes UNSTABLE and commits what the Java API then reads", this::writes),
        check("reads what the Java API wrote", this::reads),
        check("locks, and another process of its host is denied", this::locks),
        check("asks the status monitor", this::asksTheMonitor),
        check("is told PROG_MISMATCH and PROG_UNAVAIL", this::isRefused));
  }

  List<PeerCheck> portmapped(String portmapper) {
    return List.of(
        check("finds each program: " + portmapper, this::finds),
        check("lists the programs: " + portmapper, this::dumps));
  }

  private static void name(XdrEncodingStream out, byte[] directory, String name)
      throws IOException {
    out.xdrEncodeDynamicOpaque(directory);
    out.xdrEncodeString(name);
  }

  private static void skipAttributes(XdrDecodingStream in) throws IOException {
    if (in.xdrDecodeBoolean()) {
      in.xdrDecodeOpaque(FATTR_BYTES);
    }
  }

  private static void skipWcc(XdrDecodingStream in) throws IOException {
    if (in.xdrDecodeBoolean()) {
      in.xdrDecodeOpaque(24);
    }
    skipAttributes(in);
  }

  private byte[] directory(Oncrpc4jClient client, String path) throws Exception {
    var unused = cluster.files().mkdirs(WeftPath.of(path), WeftFiles.DIRECTORY_MODE);
    return client.mount(path);
  }

  private static byte[] create(Oncrpc4jClient client, byte[] directory, String name)
      throws Exception {
    byte[][] handle = new byte[1][];
    client.call(
        Oncrpc4jClient.NFS,
        3,
        8,
        out -> {
          name(out, directory, name);
          // GUARDED, with a mode alone.
          out.xdrEncodeInt(1);
          out.xdrEncodeBoolean(true);
          out.xdrEncodeInt(0644);
          for (int i = 0; i < 5; i++) {
            out.xdrEncodeInt(0);
          }
        },
        in -> {
          Oncrpc4jClient.requireOk("CREATE", in);
          assertTrue(in.xdrDecodeBoolean());
          handle[0] = in.xdrDecodeDynamicOpaque();
        });
    return handle[0];
  }

  private void writes() throws Exception {
    byte[] data = PeerCluster.bytes(9_000_001);
    try (Oncrpc4jClient client = new Oncrpc4jClient(port)) {
      byte[] file = create(client, directory(client, "/oncrpc4j"), "written");
      byte[][] verifiers = new byte[2][];
      for (int offset = 0; offset < data.length; offset += TRANSFER_BYTES) {
        int from = offset;
        byte[] part = Arrays.copyOfRange(data, from, Math.min(data.length, from + TRANSFER_BYTES));
        client.call(
            Oncrpc4jClient.NFS,
            3,
            7,
            out -> {
              out.xdrEncodeDynamicOpaque(file);
              out.xdrEncodeLong(from);
              out.xdrEncodeInt(part.length);
              out.xdrEncodeInt(0);
              out.xdrEncodeDynamicOpaque(part);
            },
            in -> {
              Oncrpc4jClient.requireOk("WRITE", in);
              skipWcc(in);
              assertEquals(part.length, in.xdrDecodeInt());
              assertEquals(0, in.xdrDecodeInt(), "UNSTABLE");
              verifiers[0] = in.xdrDecodeOpaque(8);
            });
      }
      client.call(
          Oncrpc4jClient.NFS,
          3,
          21,
          out -> {
            out.xdrEncodeDynamicOpaque(file);
            out.xdrEncodeLong(0);
            out.xdrEncodeInt(0);
          },
          in -> {
            Oncrpc4jClient.requireOk("COMMIT", in);
            skipWcc(in);
            verifiers[1] = in.xdrDecodeOpaque(8);
          });
      assertArrayEquals(verifiers[0], verifiers[1], "nothing was lost meanwhile");
      assertArrayEquals(data, cluster.read("/oncrpc4j/written"));
    }
  }

  private static byte[] lookup(Oncrpc4jClient client, byte[] directory, String name)
      throws Exception {
    byte[][] handle = new byte[1][];
    client.call(
        Oncrpc4jClient.NFS,
        3,
        3,
        out -> name(out, directory, name),
        in -> {
          Oncrpc4jClient.requireOk("LOOKUP", in);
          handle[0] = in.xdrDecodeDynamicOpaque();
        });
    return handle[0];
  }

  private void reads() throws Exception {
    byte[] data = PeerCluster.bytes(8_000_001);
    try (Oncrpc4jClient client = new Oncrpc4jClient(port)) {
      byte[] directory = directory(client, "/oncrpc4j");
      cluster.write("/oncrpc4j/read", data);
      byte[] file = lookup(client, directory, "read");
      ByteArrayOutputStream read = new ByteArrayOutputStream();
      boolean[] end = new boolean[1];
      while (!end[0]) {
        client.call(
            Oncrpc4jClient.NFS,
            3,
            6,
            out -> {
              out.xdrEncodeDynamicOpaque(file);
              out.xdrEncodeLong(read.size());
              out.xdrEncodeInt(TRANSFER_BYTES);
            },
            in -> {
              Oncrpc4jClient.requireOk("READ", in);
              skipAttributes(in);
              int count = in.xdrDecodeInt();
              end[0] = in.xdrDecodeBoolean();
              byte[] part = in.xdrDecodeDynamicOpaque();
              assertEquals(count, part.length);
              assertTrue(count > 0 || end[0], "a READ brings something before the end");
              read.writeBytes(part);
            });
      }
      assertArrayEquals(data, read.toByteArray());
    }
  }

  private static void lock(XdrEncodingStream out, byte[] file, int process) throws IOException {
    out.xdrEncodeString("oncrpc4j-host");
    out.xdrEncodeDynamicOpaque(file);
    out.xdrEncodeDynamicOpaque(("process-" + process).getBytes(StandardCharsets.US_ASCII));
    out.xdrEncodeInt(process);
    out.xdrEncodeLong(0);
    out.xdrEncodeLong(0);
  }

  private static int nlm(Oncrpc4jClient client, int procedure, Oncrpc4jClient.Arguments arguments)
      throws Exception {
    byte[] cookie = {1, 2, 3};
    int[] status = new int[1];
    client.call(
        Oncrpc4jClient.NLM,
        4,
        procedure,
        out -> {
          out.xdrEncodeDynamicOpaque(cookie);
          arguments.write(out);
        },
        in -> {
          assertArrayEquals(cookie, in.xdrDecodeDynamicOpaque());
          status[0] = in.xdrDecodeInt();
        });
    return status[0];
  }

  private static int lock(Oncrpc4jClient client, byte[] file, int process) throws Exception {
    return nlm(
        client,
        2,
        out -> {
          out.xdrEncodeBoolean(false);
          out.xdrEncodeBoolean(true);
          lock(out, file, process);
          out.xdrEncodeBoolean(false);
          out.xdrEncodeInt(1);
        });
  }

  private void locks() throws Exception {
    try (Oncrpc4jClient client = new Oncrpc4jClient(port)) {
      byte[] file = create(client, directory(client, "/oncrpc4j"), "locked");
      assertEquals(0, lock(client, file, 1));
      assertEquals(DENIED, lock(client, file, 2));
      assertTrue(cluster.cli().run("nfs", "locks").contains("oncrpc4j-host"));
      assertEquals(0, nlm(client, 4, out -> lock(out, file, 1)));
      assertEquals(0, lock(client, file, 2));
      assertEquals(0, nlm(client, 4, out -> lock(out, file, 2)));
    }
  }

  private void asksTheMonitor() throws Exception {
    try (Oncrpc4jClient client = new Oncrpc4jClient(port)) {
      client.call(
          Oncrpc4jClient.NSM,
          1,
          1,
          out -> out.xdrEncodeString("oncrpc4j-host"),
          in -> assertEquals(1, in.xdrDecodeInt(), "STAT_FAIL: it watches no host for others"));
    }
  }

  private void isRefused() throws Exception {
    try (Oncrpc4jClient client = new Oncrpc4jClient(port)) {
      client.ping(Oncrpc4jClient.NFS, 3);
      client.ping(Oncrpc4jClient.MOUNT, 3);
      client.ping(Oncrpc4jClient.NLM, 4);
      client.ping(Oncrpc4jClient.NSM, 1);
      int[][] others = {
        {Oncrpc4jClient.NFS, 4},
        {Oncrpc4jClient.NFS, 2},
        {Oncrpc4jClient.MOUNT, 1},
        {Oncrpc4jClient.NLM, 3},
        {Oncrpc4jClient.NSM, 2}
      };
      for (int[] other : others) {
        assertRefused(client, other[0], other[1], RpcAccepsStatus.PROG_MISMATCH);
      }
      assertRefused(client, NFS_ACL, 3, RpcAccepsStatus.PROG_UNAVAIL);
    }
  }

  private static void assertRefused(Oncrpc4jClient client, int program, int version, int status) {
    OncRpcAcceptedException refused =
        assertThrows(OncRpcAcceptedException.class, () -> client.ping(program, version));
    assertEquals(RpcAccepsStatus.toString(status), refused.getMessage());
  }

  private void finds() throws Exception {
    String universal = PeerCluster.HOST + "." + (port >> 8) + "." + (port & 0xff);
    try (Oncrpc4jClient client = new Oncrpc4jClient(PORTMAP_PORT)) {
      GenericPortmapClient portmap = new GenericPortmapClient(client.transport());
      assertTrue(portmap.ping());
      assertEquals(universal, portmap.getPort(Oncrpc4jClient.NFS, 3, "tcp"));
      assertEquals(universal, portmap.getPort(Oncrpc4jClient.MOUNT, 3, "tcp"));
      assertEquals(universal, portmap.getPort(Oncrpc4jClient.NLM, 4, "tcp"));
      assertEquals(universal, portmap.getPort(Oncrpc4jClient.NSM, 1, "tcp"));
      assertEquals(universal, portmap.getPort(Oncrpc4jClient.NSM, 1, "udp"));
    }
  }

  private void dumps() throws Exception {
    try (Oncrpc4jClient client = new Oncrpc4jClient(PORTMAP_PORT)) {
      GenericPortmapClient portmap = new GenericPortmapClient(client.transport());
      Set<Integer> programs =
          portmap.dump().stream().map(rpcb::getProg).collect(Collectors.toCollection(TreeSet::new));
      assertTrue(
          programs.containsAll(
              Set.of(
                  Oncrpc4jClient.NFS,
                  Oncrpc4jClient.MOUNT,
                  Oncrpc4jClient.NLM,
                  Oncrpc4jClient.NSM)),
          programs::toString);
      assertFalse(programs.contains(NFS_ACL));
    }
  }
}
