package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.cluster.ComparedTree.Person;
import org.weft.nfs.files.AccessRight;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.Stability;
import org.weft.nfs.model.Fattr;
import org.weft.nfs.model.ModelAnswer;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelPaths;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;
import org.weft.nfs.model.WccData;
import org.weft.protocol.rpc.Payload;

/**
 * Random calls of all procedures of NFS, each by any user through any gateway, and beside it on the
 * model. Status, attributes before and after, rights and bytes agree in each reply, refusals too.
 */
public final class RandomProcedures {
  /** How many procedures there are to be done and to be refused. */
  public static final int PROCEDURES = 15;

  private static final int ALL_RIGHTS = 0x3f;

  private static final Map<AccessRight, Integer> RIGHTS =
      new EnumMap<>(
          Map.of(
              AccessRight.READ, 0x01,
              AccessRight.LOOK_UP, 0x02,
              AccessRight.MODIFY, 0x04,
              AccessRight.EXTEND, 0x08,
              AccessRight.DELETE, 0x10,
              AccessRight.EXECUTE, 0x20));

  private final ComparedTree tree;
  private final ModelFileService model;
  private final Random random;

  public RandomProcedures(ComparedTree tree) {
    this.tree = tree;
    this.model = tree.model();
    this.random = tree.random();
  }

  /** One call. */
  public void step() {
    Person by = tree.anyPerson();
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

  private static FileName name(String text) {
    return new FileName(text);
  }

  private byte[] handle(NodeId node) {
    return tree.handle(node);
  }

  private void getAttr(Person by) {
    NodeId node = tree.anyNode();
    ModelAnswer<NodeAttributes> wanted = ModelAnswer.of(model.attributes(by.by(), node));
    Result seen = tree.any(by).getAttr(handle(node));
    assertEquals(wanted.status(), seen.status);
    tree.same(wanted.answer(), seen.node);
  }

  private void setAttr(Person by) {
    NodeId node = tree.anyNode();
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
    Fattr told = tree.any(tree.root()).getAttr(handle(node)).node;
    Optional<NodeAttributes> before = tree.now(node);
    boolean stale = guarded && random.nextBoolean();
    OptionalLong guard =
        guarded
            ? OptionalLong.of(before.orElseThrow().ctimeNanos() - (stale ? 1 : 0))
            : OptionalLong.empty();
    var wanted = ModelAnswer.of(model.setAttributes(by.by(), node, change, guard));
    Result seen =
        tree.any(by)
            .setAttr(
                handle(node),
                new Nfs3Client.Set(ids, uid, gid, size, null, mtime),
                guarded ? told.ctime() - (stale ? 1 : 0) : null);
    boolean isDone = tree.agree("SETATTR of " + node + " " + change, wanted, seen);
    tree.same(node, before, seen.wcc);
    if (isDone) {
      tree.same(wanted.answer().after().orElseThrow(), seen.wcc.after());
      boolean changes = ids != null || uid != null || gid != null || size != null || mtime != null;
      assertEquals(changes, seen.wcc.after().ctime() > told.ctime(), "ctime tells of a change");
      if (mtime != null) {
        assertEquals(mtime, seen.wcc.after().mtime());
        assertEquals(mtime, tree.any(tree.root()).getAttr(handle(node)).node.mtime());
      }
      tree.sameEverywhere(node);
    }
  }

  private void lookup(Person by) {
    NodeId directory = tree.anyDirectory();
    String name = tree.anyName();
    tree.settle(directory, name);
    ModelAnswer<Answers.Found> wanted =
        ModelAnswer.of(model.lookUp(by.by(), directory, name(name)));
    Result seen = tree.any(by).lookup(handle(directory), name);
    if (tree.agree("LOOKUP of " + name, wanted, seen)) {
      assertNotNull(seen.node);
      tree.same(wanted.answer().node(), seen.node);
      assertArrayEquals(handle(wanted.answer().node().id()), seen.handle);
    }
    tree.same(directory, seen.directory);
  }

  private void access(Person by) {
    NodeId node = tree.anyNode();
    ModelAnswer<FileReply.Granted> wanted =
        ModelAnswer.of(model.access(by.by(), node, EnumSet.allOf(AccessRight.class)));
    Result seen = tree.any(by).access(handle(node), ALL_RIGHTS);
    assertEquals(wanted.status(), seen.status);
    Set<AccessRight> rights = wanted.answer().rights();
    assertEquals(rights.stream().mapToInt(RIGHTS::get).sum(), seen.access, "ACCESS to " + node);
    tree.same(wanted.answer().node(), seen.node);
  }

  private void readLink(Person by) {
    NodeId node = tree.anyNode();
    ModelAnswer<NodeAttributes> wanted = ModelAnswer.of(model.readLink(by.by(), node));
    Result seen = tree.any(by).readLink(handle(node));
    if (tree.agree("READLINK of " + node, wanted, seen)) {
      assertArrayEquals(wanted.answer().symlinkTarget().toByteArray(), seen.data);
    }
    tree.same(node, seen.node);
  }

  private void read(Person by) {
    NodeId node = tree.anyNode();
    int offset = random.nextInt(40_000);
    int count = random.nextInt(40_000);
    ModelAnswer<Answers.BytesRead> wanted =
        ModelAnswer.of(model.read(by.by(), node, offset, count));
    Result seen = tree.any(by).read(handle(node), offset, count);
    if (tree.agree("READ of " + node, wanted, seen)) {
      ByteBuffer bytes = wanted.answer().bytes().buffers().get(0);
      byte[] all = new byte[bytes.remaining()];
      bytes.get(all);
      wanted.answer().bytes().release();
      assertArrayEquals(all, seen.data);
      assertEquals(wanted.answer().atEnd(), seen.end);
    }
    tree.same(node, seen.node);
  }

  private void write(Person by) {
    NodeId node = tree.anyNode();
    int offset = random.nextInt(30_000);
    byte[] bytes = new byte[1 + random.nextInt(30_000)];
    random.nextBytes(bytes);
    boolean stable = random.nextBoolean();
    boolean leaves = random.nextBoolean();
    Nfs3Client client = tree.any(by);
    Optional<NodeAttributes> before = tree.now(node);
    ModelAnswer<FileReply.Written> wanted =
        ModelAnswer.of(
            model.write(by.by(), node, offset, Payload.of(ByteBuffer.wrap(bytes)), Stability.FILE));
    Result seen =
        client.write(
            handle(node), offset, stable ? Nfs3Client.FILE_SYNC : Nfs3Client.UNSTABLE, bytes);
    boolean isDone = tree.agree("WRITE to " + node, wanted, seen);
    tree.sameBefore(node, before, seen.wcc.before());
    if (!isDone || stable) {
      tree.same(node, seen.wcc.after());
    }
    if (isDone) {
      assertEquals(bytes.length, seen.count);
      if (!stable) {
        Long size = tree.now(node).orElseThrow().sizeBytes();
        assertEquals(size, client.getAttr(handle(node)).node.size(), "it sees its own bytes");
        Optional<NodeAttributes> written = tree.now(node);
        int lost = tree.lost();
        tree.unsettled(
            node,
            () -> {
              if (!commit(client, node, written, seen, lost)) {
                sendAgain(client, by, node, offset, bytes);
              }
            });
      }
      if (stable || !leaves) {
        tree.settle(node);
        tree.sameEverywhere(node);
      }
    }
  }

  /**
   * Times of bytes that are not stable come with the COMMIT (docs/nfs.md): before it the file is as
   * the WRITE told it, unless the gateway was faster or another change came. The file may have lost
   * its last name meanwhile.
   *
   * @param lost files that had lost theirs with bytes that were not stable when it was written
   * @return false if the verifier is another: the bytes are to be sent again
   */
  private boolean commit(
      Nfs3Client client, NodeId node, Optional<NodeAttributes> written, Result write, int lost) {
    Result done = client.commit(handle(node), 0, 0);
    Optional<NodeAttributes> now = tree.now(node);
    if (now.isEmpty() && done.status == Nfs3Client.STALE) {
      return true;
    }
    assertEquals(0, done.status, () -> "COMMIT of " + node);
    if (done.verifier != write.verifier && tree.lost() > lost) {
      return false;
    }
    assertEquals(write.verifier, done.verifier, "no answered byte was lost");
    tree.same(node, done.wcc.after());
    WccData.Pre before = done.wcc.before();
    if (before != null && now.equals(written)) {
      boolean isPublished = before.ctime() == done.wcc.after().ctime();
      assertTrue(
          isPublished || before.ctime() == write.wcc.after().ctime(),
          () -> "before COMMIT: " + before + ", WRITE told " + write.wcc.after());
      assertEquals(done.wcc.after().size(), before.size(), "COMMIT changes no length");
    }
    return true;
  }

  /** What a removed file had is lost, and one verifier stands for all files of a gateway. */
  private void sendAgain(Nfs3Client client, Person by, NodeId node, int offset, byte[] bytes) {
    Payload payload = Payload.of(ByteBuffer.wrap(bytes));
    var wanted = ModelAnswer.of(model.write(by.by(), node, offset, payload, Stability.FILE));
    Result seen = client.write(handle(node), offset, Nfs3Client.FILE_SYNC, bytes);
    assertEquals(wanted.status(), seen.status, () -> "WRITE again to " + node);
    tree.sameEverywhere(node);
  }

  private void create(Person by) {
    NodeId directory = tree.anyDirectory();
    String name = tree.anyName();
    tree.settle(directory, name);
    boolean guarded = random.nextBoolean();
    int mode = random.nextBoolean() ? 0664 : 0600;
    AttributesWish wish = ModelPaths.mode(mode);
    CreateWish how = guarded ? new CreateWish.Guarded(wish) : new CreateWish.Unchecked(wish);
    Optional<NodeAttributes> before = tree.now(directory);
    made(
        "CREATE of " + name,
        directory,
        before,
        ModelAnswer.of(model.create(by.by(), directory, name(name), how)),
        tree.any(by).create(handle(directory), name, guarded, Nfs3Client.Set.mode(mode)));
  }

  private void createExclusive(Person by) {
    NodeId directory = tree.anyDirectory();
    String name = tree.anyName();
    tree.settle(directory, name);
    long verifier = random.nextInt(3);
    Optional<NodeAttributes> before = tree.now(directory);
    ModelAnswer<Answers.Made> wanted =
        ModelAnswer.of(
            model.create(by.by(), directory, name(name), new CreateWish.Exclusive(verifier)));
    Result seen = tree.any(by).createExclusive(handle(directory), name, verifier);
    assertEquals(wanted.status(), seen.status, "exclusive CREATE of " + name);
    tree.same(directory, before, seen.wcc);
    if (seen.status == 0) {
      NodeId made = wanted.answer().node().id();
      tree.remember(made, seen.handle);
      // Its mode is its client's to set: it does so next.
      Optional<NodeAttributes> node = tree.now(made);
      AttributesWish mode = ModelPaths.mode(0640);
      var set = ModelAnswer.of(model.setAttributes(by.by(), made, mode, OptionalLong.empty()));
      Result done = tree.any(by).setAttr(handle(made), Nfs3Client.Set.mode(0640), null);
      assertEquals(set.status(), done.status);
      if (wanted.answer().made()) {
        // Until then its mode is the gateway's to choose.
        tree.same(made, done.wcc.after());
      } else {
        tree.same(made, node, done.wcc);
      }
    }
  }

  private void mkDir(Person by) {
    NodeId directory = tree.anyDirectory();
    String name = tree.anyName();
    int mode = new int[] {02777, 01777, 0755, 0700}[random.nextInt(4)];
    Optional<NodeAttributes> before = tree.now(directory);
    made(
        "MKDIR of " + name,
        directory,
        before,
        ModelAnswer.of(
            model.make(
                by.by(), directory, name(name), new NewNode.Directory(ModelPaths.mode(mode)))),
        tree.any(by).mkDir(handle(directory), name, Nfs3Client.Set.mode(mode)));
  }

  private void symlink(Person by) {
    NodeId directory = tree.anyDirectory();
    String name = tree.anyName();
    String target = anyTarget();
    Optional<NodeAttributes> before = tree.now(directory);
    made(
        "SYMLINK of " + name,
        directory,
        before,
        ModelAnswer.of(
            model.make(
                by.by(),
                directory,
                name(name),
                new NewNode.Symlink(AttributesWish.NOTHING, ByteString.copyFromUtf8(target)))),
        tree.any(by).symlink(handle(directory), name, target.getBytes(StandardCharsets.UTF_8)));
  }

  /** It leads to a neighbour, or above, and perhaps nowhere; never out of the tree. */
  public String anyTarget() {
    String name = tree.anyName() + (random.nextInt(4) == 0 ? random.nextInt(1_000) : "");
    return (random.nextBoolean() ? "../" : "") + name;
  }

  private void mkNod(Person by) {
    NodeId directory = tree.anyDirectory();
    String name = tree.anyName();
    boolean pipe = random.nextBoolean();
    NodeType type = pipe ? NodeType.FIFO : NodeType.SOCKET;
    Optional<NodeAttributes> before = tree.now(directory);
    made(
        "MKNOD of " + name,
        directory,
        before,
        ModelAnswer.of(
            model.make(
                by.by(),
                directory,
                name(name),
                new NewNode.Special(AttributesWish.NOTHING, type, 0, 0))),
        tree.any(by).mkNod(handle(directory), name, pipe ? 7 : 6, 0, 0));
  }

  private void made(
      String what,
      NodeId directory,
      Optional<NodeAttributes> before,
      ModelAnswer<Answers.Made> wanted,
      Result seen) {
    boolean isDone = tree.agree(what, wanted, seen);
    tree.same(directory, before, seen.wcc);
    if (isDone) {
      assertNotNull(seen.node);
      tree.same(wanted.answer().node(), seen.node);
      tree.remember(wanted.answer().node().id(), seen.handle);
    }
  }

  private void remove(Person by) {
    NodeId directory = tree.anyDirectory();
    String name = tree.anyName();
    boolean whole = random.nextBoolean();
    // A name that is chosen at random leads to an empty directory too rarely.
    Optional<String> empty =
        whole && random.nextBoolean() ? tree.anyEmptyDirectory() : Optional.empty();
    if (empty.isPresent()) {
      int slash = empty.get().lastIndexOf('/');
      directory = tree.paths().find(empty.get().substring(0, slash)).orElseThrow();
      name = empty.get().substring(slash + 1);
    }
    removeFrom(by, directory, name, whole);
  }

  private void removeFrom(Person by, NodeId directory, String name, boolean whole) {
    Optional<NodeAttributes> before = tree.now(directory);
    ModelAnswer<Answers.Removed> wanted =
        ModelAnswer.of(
            whole
                ? model.removeDirectory(by.by(), directory, name(name))
                : model.remove(by.by(), directory, name(name)));
    Nfs3Client client = tree.any(by);
    Result seen =
        whole ? client.rmDir(handle(directory), name) : client.remove(handle(directory), name);
    boolean isDone = tree.agree((whole ? "RMDIR of " : "REMOVE of ") + name, wanted, seen);
    tree.same(directory, before, seen.wcc);
    if (isDone) {
      tree.forgetGone();
    }
  }

  private void rename(Person by) {
    NodeId from = tree.anyDirectory();
    NodeId to = tree.anyDirectory();
    String oldName = tree.anyName();
    String newName = tree.anyName();
    Optional<NodeAttributes> fromBefore = tree.now(from);
    Optional<NodeAttributes> toBefore = tree.now(to);
    ModelAnswer<Answers.Renamed> wanted =
        ModelAnswer.of(model.rename(by.by(), from, name(oldName), to, name(newName)));
    Result seen = tree.any(by).rename(handle(from), oldName, handle(to), newName);
    boolean isDone = tree.agree("RENAME of " + oldName + " to " + newName, wanted, seen);
    tree.same(from, fromBefore, seen.wcc);
    tree.same(to, toBefore, seen.second);
    if (isDone) {
      tree.forgetGone();
    }
  }

  private void link(Person by) {
    NodeId node = tree.anyNode();
    NodeId directory = tree.anyDirectory();
    String name = tree.anyName();
    Optional<NodeAttributes> before = tree.now(directory);
    ModelAnswer<Answers.Linked> wanted =
        ModelAnswer.of(model.link(by.by(), node, directory, name(name)));
    Result seen = tree.any(by).link(handle(node), handle(directory), name);
    boolean isDone = tree.agree("LINK of " + name, wanted, seen);
    tree.same(node, seen.node);
    tree.same(directory, before, seen.wcc);
    if (isDone) {
      tree.sameEverywhere(node);
    }
  }

  private void list(Person by) {
    NodeId directory = tree.anyDirectory();
    ModelAnswer<Answers.Page> wanted =
        ModelAnswer.of(model.list(by.by(), directory, 0, 1_000, true));
    boolean plus = random.nextBoolean();
    Result seen =
        plus
            ? tree.any(by).readDirPlus(handle(directory), 0, 1 << 16, 1 << 16)
            : tree.any(by).readDir(handle(directory), 0, 0, 1 << 16);
    boolean isDone =
        tree.agree((plus ? "READDIRPLUS of " : "READDIR of ") + directory, wanted, seen);
    tree.same(directory, seen.directory);
    if (!isDone) {
      return;
    }
    Map<String, Answers.Entry> there = new HashMap<>();
    wanted.answer().entries().forEach(entry -> there.put(entry.name(), entry));
    List<Nfs3Client.Entry> named =
        seen.entries.stream().filter(entry -> !entry.name().matches("\\.\\.?")).toList();
    assertEquals(2, seen.entries.size() - named.size(), "the entries . and ..");
    assertEquals(
        there.keySet().stream().sorted().toList(),
        named.stream().map(Nfs3Client.Entry::name).sorted().toList());
    assertTrue(seen.end);
    for (Nfs3Client.Entry entry : named) {
      NodeId node = there.get(entry.name()).id();
      if (plus) {
        tree.same(node, entry.attributes());
        if (entry.handle() != null) {
          assertArrayEquals(handle(node), entry.handle(), entry.name());
        }
      }
    }
  }
}
