package org.weft.client.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.SYSMGR_1;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.ScriptedSysmgr;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;

/** Paths of a cluster with several volumes, over a simulated wire. */
class VolumeRouterTest {
  private static final Endpoint OTHER_MANAGER = new Endpoint("manager-2", 7311);
  private static final long DATA = 2;

  private final FakeClusterWorld world = new FakeClusterWorld(5);
  private final List<String> atRoot = new ArrayList<>();
  private final List<String> atData = new ArrayList<>();
  private final FakeManager root = new FakeManager(CLUSTER, 10_000, 4, this::rootFiles);
  private final FakeManager other = new FakeManager(CLUSTER, 10_000, 4, this::dataFiles);
  private final ScriptedSysmgr sysmgr = new ScriptedSysmgr(CLUSTER, table(1));
  private ClusterView view;
  private VolumeRouter router;

  @BeforeEach
  void start() {
    root.startAt(world.wire, MANAGER);
    other.startAt(world.wire, OTHER_MANAGER);
    sysmgr.startAt(world.wire, SYSMGR_1);
  }

  /** The root volume, and volumes on the other manager. */
  private static ClusterTable table(long version, VolumeRow... volumes) {
    return FakeClusterWorld.table(version, MANAGER, 0).toBuilder()
        .addManagers(
            ManagerRow.newBuilder()
                .setManagerId(2)
                .setState(NodeState.UP)
                .addAddresses(
                    AddressMessage.newBuilder()
                        .setHost(OTHER_MANAGER.host())
                        .setPort(OTHER_MANAGER.port())))
        .addAllVolumes(List.of(volumes))
        .build();
  }

  private static VolumeRow volume(String path, VolumeState state) {
    return VolumeRow.newBuilder()
        .setVolumeId(DATA)
        .setPath(path)
        .setManagerId(2)
        .setState(state)
        .build();
  }

  /** The root volume's manager knows that /data and /a/data are volumes. */
  private MessageLite rootFiles(Opcode opcode, MessageLite request) throws WeftException {
    if (opcode == Opcode.READDIR) {
      return ReaddirReply.newBuilder()
          .addEntries(
              DirectoryEntry.newBuilder().setName("data").setKind(FileKind.VOLUME).setCookie(1))
          .setEnd(true)
          .build();
    }
    if (opcode == Opcode.GET_ATTRIBUTES_OF) {
      String path = ((GetAttributesOfRequest) request).getNode().getPath();
      atRoot.add(path);
      if (path.equals("data") || path.startsWith("data/")) {
        throw new WeftException(ErrorCode.CROSS_VOLUME, "/data is another volume");
      }
      return attributes(path);
    }
    atRoot.add(opcode.name());
    return Empty.getDefaultInstance();
  }

  private MessageLite dataFiles(Opcode opcode, MessageLite request) throws WeftException {
    if (opcode == Opcode.GET_ATTRIBUTES_OF) {
      String path = ((GetAttributesOfRequest) request).getNode().getPath();
      atData.add(path);
      if (path.equals("missing")) {
        throw new WeftException(ErrorCode.NOT_FOUND, "no such file or directory: /missing");
      }
      return attributes(path);
    }
    atData.add(opcode.name());
    return Empty.getDefaultInstance();
  }

  private static MessageLite attributes(String path) {
    return AttributesReply.newBuilder()
        .setAttributes(FileAttributes.newBuilder().setOwner("of " + path))
        .build();
  }

  private void connect(ClusterTable table) {
    sysmgr.table(table);
    ClusterViewOptions options =
        new ClusterViewOptions(
            List.of(SYSMGR_1), Optional.empty(), "client", 1_000, 5_000, 3_600_000, false);
    view = world.finish(ClusterView.open(options, world.environment, world.home)).join();
    router =
        new VolumeRouter(
            view,
            row ->
                new VolumeSession(
                    SessionOptions.of(row.getVolumeId(), "ann", List.of(), "test"),
                    new VolumeMount(row.getPath()),
                    CLUSTER,
                    view,
                    world.environment,
                    world.home));
    view.addListener(router::tableChanged);
  }

  private String ownerOf(String path) {
    return world.finish(router.at(path, calls -> calls.attributes(path))).join().getOwner();
  }

  private WeftException failureOf(CompletableFuture<?> future) {
    world.finish(future);
    return WeftException.of(assertThrows(Exception.class, future::get));
  }

  @Test
  void aPathIsAskedOfTheVolumeWithTheLongestPath() {
    connect(table(1, volume("/data", VolumeState.ACTIVE)));
    assertEquals("of x/y", ownerOf("/data/x/y"));
    assertEquals("of ", ownerOf("/data"));
    assertEquals("of database", ownerOf("/database"));
    assertEquals("of ", ownerOf("/"));
    assertEquals(List.of("x/y", ""), atData);
    assertEquals(List.of("database", ""), atRoot);
  }

  @Test
  void aVolumeInTheMakingIsStillItsParentsToAnswerFor() {
    connect(table(1, volume("/new", VolumeState.FORMATTED)));
    assertEquals("of new", ownerOf("/new"));
    assertEquals(List.of("new"), atRoot);
  }

  @Test
  void aRowWithoutAStateIsAnActiveVolume() {
    connect(table(1, volume("/data", VolumeState.VOLUME_STATE_UNSPECIFIED)));
    assertEquals("of x", ownerOf("/data/x"));
    assertEquals(List.of("x"), atData);
  }

  @Test
  void aPathFindsAVolumeNewerThanTheTable() {
    connect(table(1));
    sysmgr.table(table(2, volume("/data", VolumeState.ACTIVE)));
    assertEquals("of x", ownerOf("/data/x"));
    assertEquals(List.of("data/x"), atRoot);
    assertEquals(List.of("x"), atData);
  }

  @Test
  void aPathOutOfItsVolumeFailsWithoutABetterTable() {
    connect(table(1));
    WeftException failure = failureOf(router.at("/data/x", calls -> calls.attributes("/data/x")));
    assertEquals(ErrorCode.CROSS_VOLUME, failure.code());
  }

  @Test
  void aManagersMessagesNamePathsOfTheCluster() {
    connect(table(1, volume("/data", VolumeState.ACTIVE)));
    WeftException failure =
        failureOf(router.at("/data/missing", calls -> calls.attributes("/data/missing")));
    assertEquals(ErrorCode.NOT_FOUND, failure.code());
    assertEquals("no such file or directory: /data/missing", failure.getMessage());
  }

  @Test
  void renameAndLinkAcrossVolumesAreRefused() {
    connect(table(1, volume("/data", VolumeState.ACTIVE)));
    WeftException failure =
        failureOf(
            router.moving(
                "rename", "/a", "/data/a", calls -> calls.rename("/a", "/data/a", false)));
    assertEquals(ErrorCode.CROSS_VOLUME, failure.code());
    assertTrue(failure.getMessage().startsWith("/a -> /data/a: "), failure.getMessage());
    assertEquals(
        ErrorCode.CROSS_VOLUME,
        failureOf(
                router.within(
                    "link", "/data/a", "/b", calls -> calls.nodes().link("/data/a", "/b")))
            .code());
    assertEquals(List.of(), atRoot);
    assertEquals(List.of(), atData);
  }

  @Test
  void renameWithinAVolumeIsAskedOfIt() {
    connect(table(1, volume("/data", VolumeState.ACTIVE)));
    world
        .finish(
            router.moving(
                "rename", "/data/a", "/data/b", calls -> calls.rename("/data/a", "/data/b", true)))
        .join();
    assertEquals(List.of("RENAME"), atData);
  }

  @Test
  void aVolumesDirectoryIsNotRemovedOrMoved() {
    connect(table(1, volume("/a/data", VolumeState.ACTIVE)));
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        failureOf(router.removing("remove", "/a/data", calls -> calls.rmdir("/a/data"))).code());
    assertEquals(
        ErrorCode.NOT_EMPTY,
        failureOf(router.removing("remove", "/a", calls -> calls.rmdir("/a"))).code());
    assertEquals(
        ErrorCode.NOT_EMPTY,
        failureOf(router.moving("rename", "/a", "/b", calls -> calls.rename("/a", "/b", false)))
            .code());
    assertEquals(List.of(), atRoot);
    assertEquals(List.of(), atData);
  }

  @Test
  void aListingShowsAVolumeWithTheAttributesOfItsRoot() {
    connect(table(1, volume("/data", VolumeState.ACTIVE)));
    ReaddirReply page = world.finish(new VolumeListing(router, 0).page("/", 0, 10, true)).join();
    assertEquals("of ", page.getEntries(0).getAttributes().getOwner());
    other.stop();
    page = world.finish(new VolumeListing(router, 0).page("/", 0, 10, false)).join();
    assertEquals("data", page.getEntries(0).getName());
  }

  @Test
  void aRequestOnAVolumeThatIsDeletedMeanwhileIsToldSo() {
    connect(table(1, volume("/data", VolumeState.ACTIVE)));
    other.stop();
    CompletableFuture<?> asked = router.at("/data/x", calls -> calls.attributes("/data/x"));
    world.pass(1_000);
    sysmgr.table(table(2));
    WeftException failure = failureOf(asked);
    assertEquals(ErrorCode.NOT_FOUND, failure.code());
    assertTrue(failure.getMessage().contains("volume /data has been deleted"));
    assertEquals("of else", ownerOf("/else"));
  }

  @Test
  void aVolumesOnlySessionOpensWhenItIsNeeded() {
    connect(table(1, volume("/data", VolumeState.ACTIVE)));
    ownerOf("/x");
    assertEquals(0, other.sessionCount());
    ownerOf("/data/x");
    ownerOf("/data/y");
    assertEquals(1, other.sessionCount());
    assertEquals(1, root.sessionCount());
    world.finish(router.shutdown()).join();
    assertEquals(0, other.sessionCount() + root.sessionCount());
  }
}
