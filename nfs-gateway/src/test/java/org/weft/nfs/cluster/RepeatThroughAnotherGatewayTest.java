package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.oncrpc.RawConnection;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.rpc.Endpoint;
import org.weft.testkit.process.Await;

/**
 * A gateway is killed when its clients' changes are recorded and not answered. They send the same
 * bytes to the gateway that has the address now, and are answered as the first time.
 */
class RepeatThroughAnotherGatewayTest {
  private static final int SETATTR = 2;
  private static final int MKDIR = 9;
  private static final int SYMLINK = 10;
  private static final int REMOVE = 12;
  private static final int RMDIR = 13;
  private static final int RENAME = 14;
  private static final int LINK = 15;

  /** Words of a reply before its status. */
  private static final int HEAD_WORDS = 6;

  @TempDir Path data;

  private TestCluster cluster;
  private NfsDaemon second;
  private Nfs3Client client;
  private byte[] root;
  private byte[] file;
  private byte[] guarded;

  /** A change, as the client's kernel keeps it until it is answered. */
  private record Call(int xid, String hex) {}

  private final List<Call> calls = new ArrayList<>();

  @BeforeEach
  void aTree() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
    second = cluster.gateway();
    client = cluster.connect(second.address(), 0, 0);
    root = client.mount("/").handle;
    client.mkDir(root, "old", Nfs3Client.Set.mode(0755));
    client.mkDir(root, "emptied", Nfs3Client.Set.mode(0755));
    client.create(root, "removed", true, Nfs3Client.Set.mode(0644));
    guarded = client.create(root, "guarded", true, Nfs3Client.Set.mode(0644)).handle;
    file = client.create(root, "file", true, Nfs3Client.Set.mode(0644)).handle;
  }

  @AfterEach
  void stop() throws Exception {
    second.close();
    cluster.close();
  }

  private static void name(XdrWriter out, byte[] directory, String name) {
    out.opaque(directory).opaque(name.getBytes(StandardCharsets.UTF_8));
  }

  private void change(int xid, int procedure, Consumer<XdrWriter> arguments) {
    byte[] record =
        XdrWriter.bytes(
            out -> {
              out.int32(xid).int32(0).int32(2).int32(100_003).int32(3).int32(procedure);
              byte[] credential =
                  XdrWriter.bytes(
                      body ->
                          body.int32(17)
                              .opaque("client".getBytes(StandardCharsets.UTF_8))
                              .int32(0)
                              .int32(0)
                              .int32(0));
              out.int32(1).opaque(credential).int32(0).int32(0);
              arguments.accept(out);
            });
    calls.add(new Call(xid, HexFormat.of().formatHex(record)));
  }

  private static void attributes(XdrWriter out, int mode) {
    out.bool(true).int32(mode).int32(0).int32(0).int32(0).int32(0).int32(0);
  }

  private void everyChange() {
    change(
        1,
        RENAME,
        out -> {
          name(out, root, "old");
          name(out, root, "new");
        });
    change(2, REMOVE, out -> name(out, root, "removed"));
    change(3, RMDIR, out -> name(out, root, "emptied"));
    change(
        4,
        MKDIR,
        out -> {
          name(out, root, "made");
          attributes(out, 0755);
        });
    change(
        5,
        LINK,
        out -> {
          out.opaque(file);
          name(out, root, "linked");
        });
    change(
        6,
        SYMLINK,
        out -> {
          name(out, root, "symlink");
          attributes(out, 0777);
          out.opaque("file".getBytes(StandardCharsets.UTF_8));
        });
    change(
        7,
        SETATTR,
        out -> {
          out.opaque(guarded);
          attributes(out, 0600);
          long ctime = client.getAttr(guarded).node.ctime();
          out.bool(true).int32((int) (ctime / 1_000_000_000)).int32((int) (ctime % 1_000_000_000));
        });
  }

  private static RawConnection connect(Endpoint gateway) throws Exception {
    return new RawConnection(new InetSocketAddress(gateway.host(), gateway.port()));
  }

  private static int status(Call call, RawConnection from) throws Exception {
    from.send(call.hex());
    String reply = from.receive();
    assertEquals(call.xid(), Integer.parseInt(reply.substring(0, 8), 16));
    return Integer.parseInt(reply.substring(8 * HEAD_WORDS, 8 * HEAD_WORDS + 8), 16);
  }

  private boolean isThere(String name) {
    return client.lookup(root, name).status == Nfs3Client.OK;
  }

  @Test
  void anotherGatewayAnswersRepeatsOfAKilledOneWithoutRedoing() throws Exception {
    everyChange();
    try (GatewayJvm first = GatewayJvm.start(cluster.sysmgr(), cluster.joinToken(), 0);
        RawConnection connection = connect(first.address())) {
      for (Call call : calls) {
        connection.send(call.hex());
      }
      Await.until(
          "all is recorded",
          () ->
              isThere("new")
                  && !isThere("removed")
                  && !isThere("emptied")
                  && isThere("made")
                  && isThere("linked")
                  && isThere("symlink")
                  && client.getAttr(guarded).node.mode() == 0600);
      first.kill();
    }
    try (RawConnection connection = connect(second.address())) {
      for (Call call : calls) {
        assertEquals(Nfs3Client.OK, status(call, connection), "call " + call.xid());
      }
      calls.clear();
      change(
          4,
          MKDIR,
          out -> {
            name(out, root, "made too");
            attributes(out, 0755);
          });
      change(
          8,
          RENAME,
          out -> {
            name(out, root, "old");
            name(out, root, "new");
          });
      assertEquals(Nfs3Client.OK, status(calls.get(0), connection), "the number is used again");
      assertEquals(Nfs3Client.NOENT, status(calls.get(1), connection), "another request");
    }
    assertEquals(2, client.getAttr(file).node.links());
    assertTrue(isThere("made too"));
  }
}
