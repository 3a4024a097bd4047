package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.WeftPath;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.files.Stability;
import org.weft.nfs.model.Fattr;
import org.weft.nfs.model.ModelAnswer;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;
import org.weft.nfs.model.WccData;
import org.weft.protocol.rpc.Payload;

/**
 * Two gateways and a client of Weft itself do random things to one tree, one after another, and
 * each sees what the model says: bytes once they were committed, names and attributes at once. What
 * a reply says of the state before a change is what it was (RFC 1813 2.6).
 */
class TwoGatewaysTest {
  private static final int STEPS = 160 * Integer.getInteger("weft.times", 1);
  private static final int MAX_BYTES = 200_000;

  @TempDir static Path data;

  private static TestCluster cluster;
  private static NfsDaemon one;
  private static NfsDaemon two;

  /** A node in the model and as the gateways name it. */
  private record Node(NodeId model, byte[] handle, String path, NodeType type) {}

  private final ModelFileService model = new ModelFileService();
  private final Request by =
      new Request(
          new OnBehalfOf("root", List.of("root"), true),
          new Request.Origin(java.net.InetAddress.getLoopbackAddress(), 1, RequestMark.NONE));
  private final List<Node> nodes = new ArrayList<>();
  private Random random;
  private List<Nfs3Client> clients;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
    one = cluster.gateway();
    two = cluster.gateway();
  }

  @AfterAll
  static void stop() throws Exception {
    one.close();
    two.close();
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyClientSeesWhatTheModelSays(long seed) throws Exception {
    random = new Random(seed);
    clients = List.of(cluster.connect(one.address(), 0, 0), cluster.connect(two.address(), 0, 0));
    String top = "tree-" + seed;
    Result root =
        clients.get(0).mkDir(clients.get(0).mount("/").handle, top, Nfs3Client.Set.mode(0777));
    nodes.add(new Node(model.root(), root.handle, "/" + top, NodeType.DIRECTORY));
    Map<Integer, Integer> done = new HashMap<>();
    for (int step = 0; step < STEPS; step++) {
      int kind = random.nextInt(10);
      done.merge(kind, step(kind) ? 1 : 0, Integer::sum);
    }
    checkAll();
    assertTrue(done.values().stream().allMatch(count -> count > 0), "each does something: " + done);
  }

  private Nfs3Client any() {
    return clients.get(random.nextInt(clients.size()));
  }

  private Node pick(NodeType type) {
    List<Node> all = nodes.stream().filter(node -> node.type() == type).toList();
    return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
  }

  private FileName name() {
    return new FileName("n" + random.nextInt(8));
  }

  private boolean step(int kind) throws Exception {
    return switch (kind) {
      case 0, 1 -> create();
      case 2 -> makeDirectory();
      case 3, 4 -> write();
      case 5 -> read();
      case 6 -> truncate();
      case 7 -> remove();
      case 8 -> rename();
      default -> list();
    };
  }

  private static AttributesWish mode(int mode) {
    return new AttributesWish(
        OptionalInt.of(mode),
        java.util.Optional.empty(),
        java.util.Optional.empty(),
        OptionalLong.empty(),
        TimeWish.KEEP,
        TimeWish.KEEP);
  }

  /** What a reply says of a node before and after is what another gateway said and says. */
  private void checkWcc(Fattr before, WccData wcc, byte[] handle) {
    if (wcc == null) {
      return;
    }
    if (wcc.before() != null && before != null) {
      assertEquals(before.ctime(), wcc.before().ctime());
      assertEquals(before.mtime(), wcc.before().mtime());
      assertEquals(before.size(), wcc.before().size());
    }
    if (wcc.after() != null) {
      Result now = any().getAttr(handle);
      if (now.status == 0) {
        assertTrue(now.node.ctime() >= wcc.after().ctime(), "ctime goes back");
      }
    }
  }

  private Fattr attributes(Node node) {
    return any().getAttr(node.handle()).node;
  }

  private boolean create() {
    Node directory = pick(NodeType.DIRECTORY);
    FileName name = name();
    boolean guarded = random.nextBoolean();
    CreateWish how =
        guarded ? new CreateWish.Guarded(mode(0640)) : new CreateWish.Unchecked(mode(0640));
    ModelAnswer<Answers.Made> wanted =
        ModelAnswer.of(model.create(by, directory.model(), name, how));
    Fattr before = attributes(directory);
    Result seen =
        any().create(directory.handle(), name.value(), guarded, Nfs3Client.Set.mode(0640));
    assertEquals(wanted.status(), seen.status, "create " + directory.path() + "/" + name);
    checkWcc(before, seen.wcc, directory.handle());
    return made(directory, name, NodeType.FILE, wanted, seen);
  }

  private boolean makeDirectory() {
    Node directory = pick(NodeType.DIRECTORY);
    FileName name = name();
    ModelAnswer<Answers.Made> wanted =
        ModelAnswer.of(model.make(by, directory.model(), name, new NewNode.Directory(mode(0750))));
    Fattr before = attributes(directory);
    Result seen = any().mkDir(directory.handle(), name.value(), Nfs3Client.Set.mode(0750));
    assertEquals(wanted.status(), seen.status);
    checkWcc(before, seen.wcc, directory.handle());
    return made(directory, name, NodeType.DIRECTORY, wanted, seen);
  }

  private boolean made(
      Node directory, FileName name, NodeType type, ModelAnswer<Answers.Made> wanted, Result seen) {
    if (seen.status != 0) {
      return false;
    }
    NodeId id = wanted.answer().node().id();
    assertNotNull(seen.handle);
    if (nodes.stream().noneMatch(node -> node.model().equals(id))) {
      nodes.add(new Node(id, seen.handle, directory.path() + "/" + name, type));
    }
    return true;
  }

  private boolean write() throws IOException {
    Node file = pick(NodeType.FILE);
    if (file == null) {
      return false;
    }
    int offset = random.nextInt(MAX_BYTES);
    byte[] bytes = new byte[1 + random.nextInt(MAX_BYTES)];
    random.nextBytes(bytes);
    boolean stable = random.nextBoolean();
    ModelAnswer<FileReply.Written> wanted =
        ModelAnswer.of(
            model.write(
                by, file.model(), offset, Payload.of(ByteBuffer.wrap(bytes)), Stability.FILE));
    Nfs3Client client = any();
    Fattr before = attributes(file);
    Result seen =
        client.write(
            file.handle(), offset, stable ? Nfs3Client.FILE_SYNC : Nfs3Client.UNSTABLE, bytes);
    assertEquals(wanted.status(), seen.status, "write " + file.path());
    if (seen.status != 0) {
      return false;
    }
    checkWcc(before, seen.wcc, file.handle());
    if (!stable) {
      assertEquals(
          wanted.answer().node().after().orElseThrow().sizeBytes(),
          client.getAttr(file.handle()).node.size(),
          "its own gateway shows the length at once");
      assertEquals(seen.verifier, client.commit(file.handle(), 0, 0).verifier);
    }
    checkNode(file);
    Fattr after = attributes(file);
    assertTrue(after.mtime() > before.mtime(), "other clients must see that it was written");
    return true;
  }

  private boolean read() throws Exception {
    Node file = pick(NodeType.FILE);
    return file != null && checkContent(file);
  }

  private boolean truncate() {
    Node file = pick(NodeType.FILE);
    if (file == null) {
      return false;
    }
    long size = random.nextInt(2 * MAX_BYTES);
    AttributesWish change =
        new AttributesWish(
            OptionalInt.empty(),
            java.util.Optional.empty(),
            java.util.Optional.empty(),
            OptionalLong.of(size),
            TimeWish.KEEP,
            TimeWish.KEEP);
    var wanted =
        ModelAnswer.of(model.setAttributes(by, file.model(), change, OptionalLong.empty()));
    Fattr before = attributes(file);
    Result seen = any().setAttr(file.handle(), Nfs3Client.Set.size(size), null);
    assertEquals(wanted.status(), seen.status, "truncate " + file.path());
    if (seen.status == 0) {
      checkWcc(before, seen.wcc, file.handle());
      checkNode(file);
    }
    return seen.status == 0;
  }

  private boolean remove() {
    Node directory = pick(NodeType.DIRECTORY);
    FileName name = name();
    boolean whole = random.nextBoolean();
    ModelAnswer<Answers.Removed> wanted =
        ModelAnswer.of(
            whole
                ? model.removeDirectory(by, directory.model(), name)
                : model.remove(by, directory.model(), name));
    Fattr before = attributes(directory);
    Result seen =
        whole
            ? any().rmDir(directory.handle(), name.value())
            : any().remove(directory.handle(), name.value());
    assertEquals(
        wanted.status(), seen.status, (whole ? "rmdir " : "rm ") + directory.path() + "/" + name);
    checkWcc(before, seen.wcc, directory.handle());
    forgetGone();
    return seen.status == 0;
  }

  /** What has no name any more is gone, or is kept for a while for a client that had it open. */
  private void forgetGone() {
    for (Node node : List.copyOf(nodes)) {
      ModelAnswer<NodeAttributes> there = ModelAnswer.of(model.attributes(by, node.model()));
      if (there.status() == Nfs3Client.STALE) {
        nodes.remove(node);
        Result left = any().getAttr(node.handle());
        assertTrue(
            left.status == Nfs3Client.STALE || (left.status == 0 && left.node.links() == 0),
            () -> node.path() + ": " + left.status + " " + left.node);
      }
    }
  }

  private boolean rename() {
    Node from = pick(NodeType.DIRECTORY);
    Node to = pick(NodeType.DIRECTORY);
    FileName oldName = name();
    FileName newName = name();
    ModelAnswer<Answers.Renamed> wanted =
        ModelAnswer.of(model.rename(by, from.model(), oldName, to.model(), newName));
    Fattr before = attributes(from);
    Result seen = any().rename(from.handle(), oldName.value(), to.handle(), newName.value());
    assertEquals(
        wanted.status(),
        seen.status,
        "mv " + from.path() + "/" + oldName + " " + to.path() + "/" + newName);
    checkWcc(before, seen.wcc, from.handle());
    forgetGone();
    return seen.status == 0;
  }

  private boolean list() {
    Node directory = pick(NodeType.DIRECTORY);
    ModelAnswer<Answers.Page> wanted =
        ModelAnswer.of(model.list(by, directory.model(), 0, 1_000, true));
    Result seen = any().readDirPlus(directory.handle(), 0, 1 << 16, 1 << 16);
    assertEquals(wanted.status(), seen.status);
    List<String> names =
        wanted.answer().entries().stream().map(entry -> entry.name()).sorted().toList();
    assertEquals(
        names,
        seen.entries.stream()
            .map(Nfs3Client.Entry::name)
            .filter(name -> !name.equals(".") && !name.equals(".."))
            .sorted()
            .toList());
    return true;
  }

  private void checkNode(Node node) {
    NodeAttributes wanted = ModelAnswer.of(model.attributes(by, node.model())).answer();
    for (Nfs3Client client : clients) {
      Fattr seen = client.getAttr(node.handle()).node;
      if (node.type() == NodeType.FILE) {
        assertEquals(wanted.sizeBytes(), seen.size(), node.path());
      }
      assertEquals(wanted.mode(), seen.mode());
      assertEquals(wanted.links(), seen.links(), node.path());
    }
  }

  private byte[] modelBytes(Node file) {
    NodeAttributes node = ModelAnswer.of(model.attributes(by, file.model())).answer();
    byte[] all = new byte[(int) node.sizeBytes()];
    for (int at = 0; at < all.length; ) {
      Answers.BytesRead read =
          ModelAnswer.of(model.read(by, file.model(), at, Math.min(1 << 20, all.length - at)))
              .answer();
      ByteBuffer bytes = read.bytes().buffers().get(0);
      int count = bytes.remaining();
      bytes.get(all, at, count);
      read.bytes().release();
      at += count;
    }
    return all;
  }

  private boolean checkContent(Node file) throws Exception {
    byte[] wanted = modelBytes(file);
    int offset = random.nextInt(wanted.length + 1);
    int count = Math.min(1 << 20, wanted.length - offset);
    Result seen = any().read(file.handle(), offset, count);
    assertEquals(0, seen.status, file.path());
    assertArrayEquals(
        java.util.Arrays.copyOfRange(wanted, offset, offset + count), seen.data, file.path());
    assertEquals(offset + count == wanted.length, seen.end || count == 0);
    return true;
  }

  /** All of it, by both gateways and by Weft's own client. */
  private void checkAll() throws Exception {
    for (Node node : nodes) {
      checkNode(node);
      if (node.type() == NodeType.FILE) {
        checkContent(node);
      }
    }
    Node root = nodes.get(0);
    checkTree(root.model(), WeftPath.of(root.path()));
  }

  private void checkTree(NodeId directory, WeftPath path) throws Exception {
    for (Answers.Entry entry :
        ModelAnswer.of(model.list(by, directory, 0, 1_000, true)).answer().entries()) {
      WeftPath child = path.child(entry.name());
      NodeAttributes node = ModelAnswer.of(model.attributes(by, entry.id())).answer();
      if (node.type() == NodeType.DIRECTORY) {
        checkTree(entry.id(), child);
      } else {
        Node file = new Node(entry.id(), new byte[0], child.toString(), NodeType.FILE);
        try (var in = cluster.client().files().open(child)) {
          assertArrayEquals(modelBytes(file), in.readAllBytes(), child.toString());
        }
      }
    }
  }
}
