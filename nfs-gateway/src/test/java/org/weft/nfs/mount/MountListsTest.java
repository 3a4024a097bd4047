package org.weft.nfs.mount;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Network;
import org.weft.testkit.sim.VirtualTime;

/** DUMP and EXPORT: what clients see of mounts and exports, within bounds. */
class MountListsTest {
  private static final int MNT = 1;
  private static final int DUMP = 2;
  private static final int UMNT = 3;
  private static final int EXPORT = 5;

  private static final int SHORT_BYTES = 16 << 10;

  private final VirtualTime time = new VirtualTime(1);
  private final ModelFileService files = new ModelFileService(1 << 20);
  private final List<Export> exports = new ArrayList<>();
  private final Mount3 mount = new Mount3(files, new Gatekeeper(this::policy), time, time);
  private Policy policy;

  private Policy policy() {
    if (policy == null) {
      HandleCodec handles =
          new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
      policy = new Policy(1, Optional.of(handles), new ExportTable(exports), ModelGateway.NUMBERS);
    }
    return policy;
  }

  private void export(String path, List<Network> clients) {
    policy = null;
    exports.add(
        new Export(
            exports.size() + 1,
            path,
            Optional.of(files.root()),
            clients,
            false,
            Squash.NONE,
            true));
  }

  private RpcTask task(int procedure, byte[] arguments) throws Exception {
    return mount
        .program()
        .procedure(Mount3.VERSION, procedure)
        .orElseThrow()
        .read(XdrReader.of(arguments));
  }

  private static XdrReader reply(RpcTask task, int procedure, String client) throws Exception {
    OncReply reply =
        task.run(
                new RpcCall(
                    1,
                    Mount3.PROGRAM,
                    Mount3.VERSION,
                    procedure,
                    new RpcCredential.Sys(0, "client", 0, 0, List.of()),
                    new InetSocketAddress(InetAddress.getByName(client), 700),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 2_049),
                    CallMark.NONE))
            .toCompletableFuture()
            .get(30, TimeUnit.SECONDS);
    return XdrReader.of(XdrWriter.bytes(reply::write));
  }

  private XdrReader call(int procedure, String client, String path) throws Exception {
    byte[] arguments = XdrWriter.bytes(out -> out.opaque(path.getBytes(UTF_8)));
    return reply(task(procedure, arguments), procedure, client);
  }

  private void mountFrom(String client, String path) throws Exception {
    assertEquals(MountStatus.OK.number(), call(MNT, client, path).int32());
  }

  private static List<String> mounts(XdrReader reply) throws Exception {
    List<String> mounts = new ArrayList<>();
    while (reply.bool()) {
      mounts.add(reply.string(255) + " " + new String(reply.opaque(1_024), UTF_8));
    }
    return mounts;
  }

  private List<String> dump() throws Exception {
    return mounts(reply(task(DUMP, new byte[0]), DUMP, "10.0.0.1"));
  }

  @Test
  void spellingsOfOnePathAreOneMount() throws Exception {
    export("/exp", List.of());
    for (int i = 1; i < 20; i++) {
      mountFrom("10.0.0.1", "/".repeat(i) + "exp" + "/".repeat(20 - i));
    }
    assertEquals(List.of("10.0.0.1 /exp"), dump());
    assertEquals(Map.of(InetAddress.getByName("10.0.0.1"), "/exp"), mount.mounted());
    var unused = call(UMNT, "10.0.0.1", "//exp/");
    assertEquals(List.of(), dump());
  }

  @Test
  void pathsOutsideLatin1AreShownAndUnmounted() throws Exception {
    export("/データ", List.of());
    mountFrom("10.0.0.1", "/データ");
    assertEquals(List.of("10.0.0.1 /データ"), dump());
    XdrReader shown = reply(task(EXPORT, new byte[0]), EXPORT, "10.0.0.1");
    assertTrue(shown.bool());
    assertEquals("/データ", new String(shown.opaque(1_024), UTF_8));
    var unused = call(UMNT, "10.0.0.1", "/データ");
    assertEquals(List.of(), dump());
  }

  @Test
  void oneClientHasFewPlacesInTheListOfMounts() throws Exception {
    IntStream.range(0, 2 * MountList.MAX_OF_CLIENT).forEach(i -> export("/e" + i, List.of()));
    mountFrom("10.0.0.2", "/e0");
    for (Export export : exports) {
      mountFrom("10.0.0.1", export.path());
    }
    List<String> dump = dump();
    assertEquals(MountList.MAX_OF_CLIENT + 1, dump.size());
    assertTrue(dump.contains("10.0.0.2 /e0"));
    assertTrue(dump.contains("10.0.0.1 /e" + (exports.size() - 1)), "the newest stay");
  }

  private static void assertCounted(RpcTask task, int procedure) throws Exception {
    int bytes = reply(task, procedure, "10.0.0.1").remaining();
    assertTrue(
        bytes <= task.mostReplyBytes(),
        bytes + " bytes were written, " + task.mostReplyBytes() + " were counted");
  }

  @Test
  void longListsCountAsWhatTheyTakeAndFitWhatThereIs() throws Exception {
    String part = "/" + "x".repeat(250);
    List<Network> clients =
        IntStream.range(0, 64).mapToObj(i -> Network.parse("10." + i + ".0.0/16")).toList();
    IntStream.range(0, 1_000).forEach(i -> export(part.repeat(3) + i, clients));
    for (int i = 0; i < 3_000; i++) {
      mountFrom("10.1." + i / 250 + "." + i % 250, exports.get(i % 10).path());
    }
    for (int procedure : List.of(DUMP, EXPORT)) {
      RpcTask whole = task(procedure, new byte[0]);
      assertTrue(whole.mostReplyBytes() > 1 << 19, "a long list counts");
      assertTrue(whole.mostReplyBytes() <= (1 << 20) + RpcTask.SMALL_REPLY_BYTES);
      assertCounted(whole, procedure);
      RpcTask brief = whole.within(SHORT_BYTES);
      assertTrue(brief.mostReplyBytes() <= SHORT_BYTES);
      assertCounted(brief, procedure);
    }
    assertTrue(mounts(reply(task(DUMP, new byte[0]), DUMP, "10.0.0.1")).size() > 1_000);
  }
}
