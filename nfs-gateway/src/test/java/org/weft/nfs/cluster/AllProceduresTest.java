package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
import org.weft.nfs.files.AccessRight;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.files.Stability;
import org.weft.nfs.model.Fattr;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;
import org.weft.protocol.rpc.Payload;

/**
 * Random operations of all procedures by three users, through two gateways of a real cluster and
 * beside them on a model: status, attributes, rights and content agree at each step, through the
 * other gateway, too.
 */
class AllProceduresTest {
  private static final int SEEDS = Integer.getInteger("weft.nfs.seeds", 4);
  private static final int STEPS = 700;
  private static final int ALL_RIGHTS = 0x3f;
  private static final String[] NAMES = {"a", "b", "c", "d", "e", "f"};

  private static final Map<FileError, Integer> STATUS =
      new EnumMap<>(
          Map.of(
              FileError.EXISTS, Nfs3Client.EXIST,
              FileError.NOT_FOUND, Nfs3Client.NOENT,
              FileError.NOT_EMPTY, Nfs3Client.NOTEMPTY,
              FileError.NOT_DIRECTORY, Nfs3Client.NOTDIR,
              FileError.IS_DIRECTORY, Nfs3Client.ISDIR,
              FileError.INVALID, Nfs3Client.INVAL,
              FileError.STALE, Nfs3Client.STALE,
              FileError.ACCESS_DENIED, Nfs3Client.ACCES,
              FileError.NOT_PERMITTED, Nfs3Client.PERM,
              FileError.GUARD_FAILED, Nfs3Client.NOT_SYNC));

  private static final Map<AccessRight, Integer> RIGHTS =
      new EnumMap<>(
          Map.of(
              AccessRight.READ, 0x01,
              AccessRight.LOOK_UP, 0x02,
              AccessRight.MODIFY, 0x04,
              AccessRight.EXTEND, 0x08,
              AccessRight.DELETE, 0x10,
              AccessRight.EXECUTE, 0x20));

  private static final Map<NodeType, Integer> TYPES =
      Map.of(
          NodeType.FILE, 1,
          NodeType.DIRECTORY, 2,
          NodeType.BLOCK_DEVICE, 3,
          NodeType.CHARACTER_DEVICE, 4,
          NodeType.SYMLINK, 5,
          NodeType.SOCKET, 6,
          NodeType.FIFO, 7);

  @TempDir static Path data;

  private static TestCluster cluster;
  private static NfsDaemon one;
  private static NfsDaemon two;

  /** A user in both worlds, with a connection to each gateway. */
  private record Person(List<Nfs3Client> clients, Request by) {}

  /** What the model says. */
  private record Expected<T>(int status, T answer) {}

  private ModelFileService model;
  private final Map<NodeId, byte[]> handles = new HashMap<>();
  private final List<NodeId> nodes = new ArrayList<>();
  private final Map<String, int[]> done = new HashMap<>();
  private Random random;
  private List<Person> people;
  private Person root;

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

  private Person person(String user, String group, int uid, int gid) {
    return new Person(
        List.of(cluster.connect(one.address(), uid, gid), cluster.connect(two.address(), uid, gid)),
        new Request(
            new OnBehalfOf(user, List.of(group), uid == 0),
            new Request.Origin(InetAddress.getLoopbackAddress(), 1, RequestMark.NONE)));
  }

  @Test
  void eachReplyIsTheModels() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      tree(seed);
    }
    done.forEach(
        (procedure, count) ->
            assertTrue(count[0] > 0 && count[1] > 0, procedure + ": " + Arrays.toString(count)));
    assertEquals(15, done.size(), () -> "procedures that succeed and fail: " + done.keySet());
  }

  /** Random operations in a directory of their own, beside a model of their own. */
  private void tree(long seed) {
    random = new Random(seed);
    model = new ModelFileService();
    nodes.clear();
    handles.clear();
    root = person("root", "root", 0, 0);
    people = List.of(root, person("1000", "100", 1000, 100), person("1001", "101", 1001, 101));
    Nfs3Client first = root.clients().get(0);
    Result top =
        first.mkDir(first.mount("/").handle, "procedures-" + seed, Nfs3Client.Set.mode(0777));
    assertEquals(0, top.status);
    nodes.add(model.root());
    handles.put(model.root(), top.handle);
    for (int step = 0; step < STEPS; step++) {
      try {
        step(people.get(random.nextInt(people.size())));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", step " + step + ": " + e.getMessage(), e);
      }
    }
  }

  private void step(Person by) {
    switch (random.nextInt(21)) {
      case 0 -> getAttr(by);
      case 1, 2 -> setAttr(by);
      case 3 -> lookup(by);
      case 4 -> access(by);
      case 5 -> readLink(by);
      case 6 -> read(by);
      case 7, 8 -> write(by);
      case 9, 10 -> create(by);
      case 11 -> createExclusive(by);
      case 12 -> mkDir(by);
      case 13 -> symlink(by);
      case 14 -> mkNod(by);
      case 15, 16 -> remove(by);
      case 17, 18 -> rename(by);
      case 19 -> link(by);
      default -> list(by);
    }
  }

  private static <T> Expected<T> expected(CompletionStage<T> stage) {
    try {
      return new Expected<>(0, stage.toCompletableFuture().join());
    } catch (CompletionException e) {
      FileException failure = FileException.of(e);
      Integer status = STATUS.get(failure.error());
      if (status == null) {
        throw new AssertionError("the model fails", failure);
      }
      return new Expected<>(status, null);
    }
  }

  /** Compares a reply's status with the model's. */
  private <T> boolean agree(String what, Expected<T> wanted, Result seen) {
    String procedure = what.substring(0, what.indexOf(' '));
    // Which of two reasons is told is free.
    boolean otherReason = wanted.status() != 0 && seen.status == Nfs3Client.ACCES;
    if (!otherReason) {
      assertEquals(wanted.status(), seen.status, what);
    }
    done.computeIfAbsent(procedure, name -> new int[2])[seen.status == 0 ? 0 : 1]++;
    return seen.status == 0;
  }

  private Nfs3Client any(Person by) {
    return by.clients().get(random.nextInt(by.clients().size()));
  }

  private NodeId anyNode() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  private NodeId anyDirectory() {
    return random.nextInt(3) == 0
        ? anyNode()
        : nodes.get(random.nextInt(Math.min(4, nodes.size())));
  }

  private static FileName name(String text) {
    return new FileName(text);
  }

  private String anyName() {
    return NAMES[random.nextInt(NAMES.length)];
  }

  private byte[] handle(NodeId node) {
    return handles.get(node);
  }

  private static AttributesWish mode(int mode) {
    return new AttributesWish(
        OptionalInt.of(mode),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        TimeWish.KEEP,
        TimeWish.KEEP);
  }

  private static int number(String name) {
    return name.equals("root") ? 0 : Integer.parseInt(name);
  }

  /** Type, mode, links, owner, group, size and device of a node, as both have them. */
  private static List<Object> shape(NodeAttributes node) {
    boolean sized = node.type() != NodeType.DIRECTORY;
    return List.of(
        TYPES.get(node.type()),
        Integer.toOctalString(node.mode()),
        node.links(),
        number(node.owner()),
        number(node.group()),
        sized ? node.sizeBytes() : -1L);
  }

  private static List<Object> shape(Fattr node) {
    return List.of(
        node.type(),
        Integer.toOctalString(node.mode()),
        node.links(),
        node.uid(),
        node.gid(),
        node.type() != 2 ? node.size() : -1L);
  }

  private void same(NodeAttributes wanted, Fattr seen) {
    if (seen != null) {
      assertEquals(shape(wanted), shape(seen));
    }
  }

  /** Both gateways show the node as the model does, whatever a reply said. */
  private void sameEverywhere(NodeId node) {
    NodeAttributes wanted = expected(model.attributes(root.by(), node)).answer();
    for (Nfs3Client client : root.clients()) {
      assertEquals(shape(wanted), shape(client.getAttr(handle(node)).node));
    }
  }

  private void getAttr(Person by) {
    NodeId node = anyNode();
    Expected<NodeAttributes> wanted = expected(model.attributes(by.by(), node));
    Result seen = any(by).getAttr(handle(node));
    assertEquals(wanted.status(), seen.status);
    same(wanted.answer(), seen.node);
  }

  private void setAttr(Person by) {
    NodeId node = anyNode();
    Integer ids = random.nextBoolean() ? 0400 + random.nextInt(0400) : null;
    if (random.nextInt(4) == 0) {
      ids = 06755;
    }
    Long size = random.nextInt(3) == 0 ? (long) random.nextInt(30_000) : null;
    Long mtime = random.nextInt(3) == 0 ? 1_000_000_000L * random.nextInt(1_000_000) + 7 : null;
    Integer gid = random.nextInt(4) == 0 ? 100 + random.nextInt(2) : null;
    Integer uid = random.nextInt(8) == 0 ? 1000 + random.nextInt(2) : null;
    boolean guarded = random.nextInt(5) == 0;
    AttributesWish change =
        new AttributesWish(
            ids == null ? OptionalInt.empty() : OptionalInt.of(ids),
            Optional.ofNullable(uid).map(String::valueOf),
            Optional.ofNullable(gid).map(String::valueOf),
            size == null ? OptionalLong.empty() : OptionalLong.of(size),
            TimeWish.KEEP,
            mtime == null ? TimeWish.KEEP : new TimeWish.At(mtime));
    Fattr before = any(root).getAttr(handle(node)).node;
    NodeAttributes known = expected(model.attributes(root.by(), node)).answer();
    boolean stale = guarded && random.nextBoolean();
    OptionalLong guard =
        guarded ? OptionalLong.of(known.ctimeNanos() - (stale ? 1 : 0)) : OptionalLong.empty();
    var wanted = expected(model.setAttributes(by.by(), node, change, guard));
    Result seen =
        any(by)
            .setAttr(
                handle(node),
                new Nfs3Client.Set(ids, uid, gid, size, null, mtime),
                guarded ? before.ctime() - (stale ? 1 : 0) : null);
    if (agree("SETATTR of " + node + " " + change, wanted, seen)) {
      same(wanted.answer().after().orElseThrow(), seen.wcc.after());
      boolean changes = ids != null || uid != null || gid != null || size != null || mtime != null;
      assertEquals(changes, seen.wcc.after().ctime() > before.ctime(), "ctime tells of a change");
      if (mtime != null) {
        assertEquals(mtime, seen.wcc.after().mtime());
        assertEquals(mtime, any(root).getAttr(handle(node)).node.mtime());
      }
      sameEverywhere(node);
    }
  }

  private void lookup(Person by) {
    NodeId directory = anyDirectory();
    String name = anyName();
    Expected<Answers.Found> wanted = expected(model.lookUp(by.by(), directory, name(name)));
    Result seen = any(by).lookup(handle(directory), name);
    if (agree("LOOKUP of " + name, wanted, seen)) {
      same(wanted.answer().node(), seen.node);
      assertArrayEquals(handle(wanted.answer().node().id()), seen.handle);
    }
  }

  private void access(Person by) {
    NodeId node = anyNode();
    Expected<FileReply.Granted> wanted =
        expected(model.access(by.by(), node, EnumSet.allOf(AccessRight.class)));
    Result seen = any(by).access(handle(node), ALL_RIGHTS);
    assertEquals(wanted.status(), seen.status);
    Set<AccessRight> rights = wanted.answer().rights();
    assertEquals(rights.stream().mapToInt(RIGHTS::get).sum(), seen.access, "ACCESS to " + node);
    same(wanted.answer().node(), seen.node);
  }

  private void readLink(Person by) {
    NodeId node = anyNode();
    Expected<NodeAttributes> wanted = expected(model.readLink(by.by(), node));
    Result seen = any(by).readLink(handle(node));
    if (agree("READLINK of " + node, wanted, seen)) {
      assertArrayEquals(wanted.answer().symlinkTarget().toByteArray(), seen.data);
    }
  }

  private void read(Person by) {
    NodeId node = anyNode();
    int offset = random.nextInt(40_000);
    int count = random.nextInt(40_000);
    Expected<Answers.BytesRead> wanted = expected(model.read(by.by(), node, offset, count));
    Result seen = any(by).read(handle(node), offset, count);
    if (agree("READ of " + node, wanted, seen)) {
      ByteBuffer bytes = wanted.answer().bytes().buffers().get(0);
      byte[] all = new byte[bytes.remaining()];
      bytes.get(all);
      wanted.answer().bytes().release();
      assertArrayEquals(all, seen.data);
      assertEquals(wanted.answer().atEnd(), seen.end);
    }
  }

  private void write(Person by) {
    NodeId node = anyNode();
    int offset = random.nextInt(30_000);
    byte[] bytes = new byte[1 + random.nextInt(30_000)];
    random.nextBytes(bytes);
    boolean stable = random.nextBoolean();
    Nfs3Client client = any(by);
    Expected<FileReply.Written> wanted =
        expected(
            model.write(by.by(), node, offset, Payload.of(ByteBuffer.wrap(bytes)), Stability.FILE));
    Result seen =
        client.write(
            handle(node), offset, stable ? Nfs3Client.FILE_SYNC : Nfs3Client.UNSTABLE, bytes);
    if (agree("WRITE to " + node, wanted, seen)) {
      assertEquals(bytes.length, seen.count);
      if (!stable) {
        assertEquals(seen.verifier, client.commit(handle(node), 0, 0).verifier);
      }
      sameEverywhere(node);
    }
  }

  private void create(Person by) {
    NodeId directory = anyDirectory();
    String name = anyName();
    boolean guarded = random.nextBoolean();
    int mode = random.nextBoolean() ? 0664 : 0600;
    CreateWish how =
        guarded ? new CreateWish.Guarded(mode(mode)) : new CreateWish.Unchecked(mode(mode));
    made(
        "CREATE of " + name,
        expected(model.create(by.by(), directory, name(name), how)),
        any(by).create(handle(directory), name, guarded, Nfs3Client.Set.mode(mode)));
  }

  private void createExclusive(Person by) {
    NodeId directory = anyDirectory();
    String name = anyName();
    long verifier = random.nextInt(3);
    Expected<Answers.Made> wanted =
        expected(model.create(by.by(), directory, name(name), new CreateWish.Exclusive(verifier)));
    Result seen = any(by).createExclusive(handle(directory), name, verifier);
    assertEquals(wanted.status(), seen.status, "exclusive CREATE of " + name);
    if (seen.status == 0) {
      remember(wanted.answer().node().id(), seen);
      // Its mode is its client's to set: it does so next.
      NodeId made = wanted.answer().node().id();
      var set = expected(model.setAttributes(by.by(), made, mode(0640), OptionalLong.empty()));
      Result done = any(by).setAttr(handle(made), Nfs3Client.Set.mode(0640), null);
      assertEquals(set.status(), done.status);
    }
  }

  private void mkDir(Person by) {
    NodeId directory = anyDirectory();
    String name = anyName();
    int mode = new int[] {02777, 01777, 0755, 0700}[random.nextInt(4)];
    made(
        "MKDIR of " + name,
        expected(model.make(by.by(), directory, name(name), new NewNode.Directory(mode(mode)))),
        any(by).mkDir(handle(directory), name, Nfs3Client.Set.mode(mode)));
  }

  private void symlink(Person by) {
    NodeId directory = anyDirectory();
    String name = anyName();
    String target = "../" + anyName() + random.nextInt(1_000);
    made(
        "SYMLINK of " + name,
        expected(
            model.make(
                by.by(),
                directory,
                name(name),
                new NewNode.Symlink(AttributesWish.NOTHING, ByteString.copyFromUtf8(target)))),
        any(by).symlink(handle(directory), name, target.getBytes(StandardCharsets.UTF_8)));
  }

  private void mkNod(Person by) {
    NodeId directory = anyDirectory();
    String name = anyName();
    NodeType type = random.nextBoolean() ? NodeType.FIFO : NodeType.SOCKET;
    made(
        "MKNOD of " + name,
        expected(
            model.make(
                by.by(),
                directory,
                name(name),
                new NewNode.Special(AttributesWish.NOTHING, type, 0, 0))),
        any(by).mkNod(handle(directory), name, TYPES.get(type), 0, 0));
  }

  private void made(String what, Expected<Answers.Made> wanted, Result seen) {
    if (agree(what, wanted, seen)) {
      same(wanted.answer().node(), seen.node);
      wanted.answer().directory().after().ifPresent(after -> same(after, seen.wcc.after()));
      remember(wanted.answer().node().id(), seen);
    }
  }

  private void remember(NodeId node, Result seen) {
    byte[] known = handles.putIfAbsent(node, seen.handle);
    if (known == null) {
      nodes.add(node);
    } else {
      assertArrayEquals(known, seen.handle);
    }
  }

  private void remove(Person by) {
    NodeId directory = anyDirectory();
    String name = anyName();
    boolean whole = random.nextBoolean();
    Expected<Answers.Removed> wanted =
        expected(
            whole
                ? model.removeDirectory(by.by(), directory, name(name))
                : model.remove(by.by(), directory, name(name)));
    Nfs3Client client = any(by);
    Result seen =
        whole ? client.rmDir(handle(directory), name) : client.remove(handle(directory), name);
    if (agree((whole ? "RMDIR of " : "REMOVE of ") + name, wanted, seen)) {
      wanted.answer().directory().after().ifPresent(after -> same(after, seen.wcc.after()));
      forgetGone();
    }
  }

  /** What has no name any more is gone; a gateway may keep an open file for a while. */
  private void forgetGone() {
    for (NodeId node : List.copyOf(nodes)) {
      if (expected(model.attributes(root.by(), node)).status() == Nfs3Client.STALE) {
        nodes.remove(node);
        Result left = any(root).getAttr(handle(node));
        assertTrue(
            left.status == Nfs3Client.STALE || (left.status == 0 && left.node.links() == 0),
            () -> node + ": " + left.status + " " + left.node);
      }
    }
  }

  private void rename(Person by) {
    NodeId from = anyDirectory();
    NodeId to = anyDirectory();
    String oldName = anyName();
    String newName = anyName();
    Expected<Answers.Renamed> wanted =
        expected(model.rename(by.by(), from, name(oldName), to, name(newName)));
    Result seen = any(by).rename(handle(from), oldName, handle(to), newName);
    if (agree("RENAME of " + oldName + " to " + newName, wanted, seen)) {
      wanted.answer().from().after().ifPresent(after -> same(after, seen.wcc.after()));
      wanted.answer().to().after().ifPresent(after -> same(after, seen.second.after()));
      forgetGone();
    }
  }

  private void link(Person by) {
    NodeId node = anyNode();
    NodeId directory = anyDirectory();
    String name = anyName();
    Expected<Answers.Linked> wanted = expected(model.link(by.by(), node, directory, name(name)));
    Result seen = any(by).link(handle(node), handle(directory), name);
    if (agree("LINK of " + name, wanted, seen)) {
      wanted.answer().node().after().ifPresent(after -> same(after, seen.node));
      sameEverywhere(node);
    }
  }

  private void list(Person by) {
    NodeId directory = anyDirectory();
    Expected<Answers.Page> wanted = expected(model.list(by.by(), directory, 0, 1_000, true));
    boolean plus = random.nextBoolean();
    Result seen =
        plus
            ? any(by).readDirPlus(handle(directory), 0, 1 << 16, 1 << 16)
            : any(by).readDir(handle(directory), 0, 0, 1 << 16);
    if (agree((plus ? "READDIRPLUS of " : "READDIR of ") + directory, wanted, seen)) {
      Map<String, Answers.Entry> there = new HashMap<>();
      wanted.answer().entries().forEach(entry -> there.put(entry.name(), entry));
      Function<Nfs3Client.Entry, Boolean> isDot = entry -> entry.name().matches("\\.\\.?");
      assertEquals(
          there.keySet().stream().sorted().toList(),
          seen.entries.stream()
              .filter(entry -> !isDot.apply(entry))
              .map(Nfs3Client.Entry::name)
              .sorted()
              .toList());
      for (Nfs3Client.Entry entry : seen.entries) {
        if (plus && !isDot.apply(entry)) {
          same(there.get(entry.name()).attributes().orElseThrow(), entry.attributes());
        }
      }
    }
  }
}
