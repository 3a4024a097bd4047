package org.weft.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.files.Stability;
import org.weft.nfs.model.Fattr;
import org.weft.nfs.model.ModelAnswer;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;
import org.weft.nfs.model.WccData;
import org.weft.protocol.rpc.Payload;

/**
 * Random sequences of operations through the gateway and, beside it, on a model of its own. Status,
 * attributes before and after, and the bytes read agree at every step. The models' clocks tick
 * alike, so that times are compared, too.
 */
class RandomOperationsTest {
  private static final int STEPS = 600;
  private static final String[] NAMES = {"a", "b", "c", "d", "e"};

  private final ModelFileService served = new ModelFileService();
  private final ModelFileService model = new ModelFileService();
  private final ModelGateway gateway = new ModelGateway(served, served.root());

  /** A caller, in both worlds. */
  private record Person(Nfs3Client client, Request by) {}

  private final List<Person> people =
      List.of(
          person(0, 0, "root", "root", true),
          person(1_000, 100, "alice", "users", false),
          person(1_001, 101, "bob", "staff", false));

  private final List<NodeId> nodes = new ArrayList<>(List.of(served.root()));
  private Random random;

  private Person person(int uid, int gid, String user, String group, boolean root) {
    return new Person(
        new Nfs3Client(gateway.connect(gateway.address()), uid, gid),
        new Request(
            new OnBehalfOf(user, List.of(group), root),
            new Request.Origin(InetAddress.getLoopbackAddress(), 0, RequestMark.NONE)));
  }

  private byte[] handle(NodeId file) {
    return gateway.handle(ModelGateway.OPEN, file);
  }

  private static void same(NodeAttributes expected, Fattr seen) {
    if (expected == null) {
      assertEquals(null, seen);
      return;
    }
    List<Object> wanted =
        List.of(
            ModelGateway.NUMBERS.uid(expected.owner()),
            ModelGateway.NUMBERS.gid(expected.group()),
            expected.mode(),
            expected.links(),
            expected.sizeBytes(),
            expected.id().object().value(),
            expected.atimeNanos(),
            expected.mtimeNanos(),
            expected.ctimeNanos());
    assertEquals(
        wanted,
        List.of(
            seen.uid(),
            seen.gid(),
            seen.mode(),
            seen.links(),
            seen.size(),
            seen.fileId(),
            seen.atime(),
            seen.mtime(),
            seen.ctime()));
  }

  private static void same(NodeChange expected, WccData seen) {
    WccData.Pre before =
        expected
            .before()
            .map(
                known -> new WccData.Pre(known.sizeBytes(), known.mtimeNanos(), known.ctimeNanos()))
            .orElse(null);
    assertEquals(before, seen.before());
    same(expected.after().orElse(null), seen.after());
  }

  private NodeId anyNode() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  private NodeId anyDirectory() {
    return random.nextInt(3) == 0
        ? anyNode()
        : nodes.get(random.nextInt(Math.min(4, nodes.size())));
  }

  private String anyName() {
    return NAMES[random.nextInt(NAMES.length)];
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void everyReplyIsTheModels(long seed) {
    random = new Random(seed);
    int done = 0;
    try (gateway) {
      for (int step = 0; step < STEPS; step++) {
        Person person = people.get(random.nextInt(people.size()));
        done += step(person) == 0 ? 1 : 0;
      }
    }
    assertTrue(done > STEPS / 4, "a good part succeeds: " + done);
    assertEquals(0, served.unreleased());
  }

  private int step(Person person) {
    return switch (random.nextInt(13)) {
      case 0 -> getAttr(person);
      case 1 -> setAttr(person);
      case 2 -> lookup(person);
      case 3 -> read(person);
      case 4 -> write(person);
      case 5, 6 -> create(person);
      case 7, 8 -> mkDir(person);
      case 9 -> remove(person);
      case 10 -> rename(person);
      case 11 -> link(person);
      default -> list(person);
    };
  }

  private int getAttr(Person person) {
    NodeId file = anyNode();
    ModelAnswer<NodeAttributes> expected = ModelAnswer.of(model.attributes(person.by(), file));
    Result seen = person.client().getAttr(handle(file));
    assertEquals(expected.status(), seen.status);
    same(expected.answer(), seen.node);
    return seen.status;
  }

  private int setAttr(Person person) {
    NodeId file = anyNode();
    Integer mode = random.nextBoolean() ? 0400 + random.nextInt(0400) : null;
    Long size = random.nextInt(3) == 0 ? (long) random.nextInt(3_000) : null;
    Long mtime = random.nextInt(3) == 0 ? 1_000_000_000L * random.nextInt(1_000_000) + 7 : null;
    Integer gid = random.nextInt(4) == 0 ? 100 + random.nextInt(2) : null;
    AttributesWish change =
        new AttributesWish(
            mode == null ? OptionalInt.empty() : OptionalInt.of(mode),
            Optional.empty(),
            Optional.ofNullable(gid).map(ModelGateway.NUMBERS::group),
            size == null ? OptionalLong.empty() : OptionalLong.of(size),
            TimeWish.KEEP,
            mtime == null ? TimeWish.KEEP : new TimeWish.At(mtime));
    ModelAnswer<NodeChange> expected =
        ModelAnswer.of(model.setAttributes(person.by(), file, change, OptionalLong.empty()));
    Result seen =
        person
            .client()
            .setAttr(handle(file), new Nfs3Client.Set(mode, null, gid, size, null, mtime), null);
    assertEquals(expected.status(), seen.status);
    same(seen.status == 0 ? expected.answer() : expected.touched().node(), seen.wcc);
    return seen.status;
  }

  private int lookup(Person person) {
    NodeId directory = anyDirectory();
    String name = anyName();
    ModelAnswer<Answers.Found> expected =
        ModelAnswer.of(model.lookUp(person.by(), directory, new FileName(name)));
    Result seen = person.client().lookup(handle(directory), name);
    assertEquals(expected.status(), seen.status);
    if (seen.status == 0) {
      same(expected.answer().node(), seen.node);
      same(expected.answer().directory(), seen.directory);
      assertArrayEquals(handle(expected.answer().node().id()), seen.handle);
    } else {
      same(expected.touched().directory().after().orElse(null), seen.directory);
    }
    return seen.status;
  }

  private int read(Person person) {
    NodeId file = anyNode();
    int offset = random.nextInt(4_000);
    int count = random.nextInt(4_000);
    ModelAnswer<Answers.BytesRead> expected =
        ModelAnswer.of(model.read(person.by(), file, offset, count));
    Result seen = person.client().read(handle(file), offset, count);
    assertEquals(expected.status(), seen.status);
    if (seen.status == 0) {
      ByteBuffer bytes = expected.answer().bytes().buffers().get(0);
      byte[] wanted = new byte[bytes.remaining()];
      bytes.get(wanted);
      expected.answer().bytes().release();
      assertArrayEquals(wanted, seen.data);
      assertEquals(expected.answer().atEnd(), seen.end);
      same(expected.answer().node(), seen.node);
    } else {
      same(expected.touched().node().after().orElse(null), seen.node);
    }
    return seen.status;
  }

  private int write(Person person) {
    NodeId file = anyNode();
    int offset = random.nextInt(3_000);
    byte[] data = new byte[random.nextInt(3_000)];
    random.nextBytes(data);
    ModelAnswer<FileReply.Written> expected =
        ModelAnswer.of(
            model.write(
                person.by(), file, offset, Payload.of(ByteBuffer.wrap(data)), Stability.UNSTABLE));
    Result seen = person.client().write(handle(file), offset, Nfs3Client.UNSTABLE, data);
    assertEquals(expected.status(), seen.status);
    same(seen.status == 0 ? expected.answer().node() : expected.touched().node(), seen.wcc);
    return seen.status;
  }

  private int create(Person person) {
    NodeId directory = anyDirectory();
    String name = anyName();
    boolean guarded = random.nextBoolean();
    AttributesWish change =
        new AttributesWish(
            OptionalInt.of(0664),
            Optional.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            TimeWish.KEEP,
            TimeWish.KEEP);
    ModelAnswer<Answers.Made> expected =
        ModelAnswer.of(
            model.create(
                person.by(),
                directory,
                new FileName(name),
                guarded ? new CreateWish.Guarded(change) : new CreateWish.Unchecked(change)));
    Result seen =
        person.client().create(handle(directory), name, guarded, Nfs3Client.Set.mode(0664));
    return made(expected, seen);
  }

  private int mkDir(Person person) {
    NodeId directory = anyDirectory();
    String name = anyName();
    int mode = random.nextBoolean() ? 02777 : 01777;
    AttributesWish change =
        new AttributesWish(
            OptionalInt.of(mode),
            Optional.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            TimeWish.KEEP,
            TimeWish.KEEP);
    ModelAnswer<Answers.Made> expected =
        ModelAnswer.of(
            model.make(person.by(), directory, new FileName(name), new NewNode.Directory(change)));
    Result seen = person.client().mkDir(handle(directory), name, Nfs3Client.Set.mode(mode));
    return made(expected, seen);
  }

  private int made(ModelAnswer<Answers.Made> expected, Result seen) {
    assertEquals(expected.status(), seen.status);
    if (seen.status == 0) {
      NodeAttributes node = expected.answer().node();
      same(node, seen.node);
      same(expected.answer().directory(), seen.wcc);
      assertArrayEquals(handle(node.id()), seen.handle);
      if (!nodes.contains(node.id())) {
        nodes.add(node.id());
      }
    } else {
      same(expected.touched().directory(), seen.wcc);
    }
    return seen.status;
  }

  private int remove(Person person) {
    NodeId directory = anyDirectory();
    FileName name = new FileName(anyName());
    boolean whole = random.nextBoolean();
    ModelAnswer<Answers.Removed> expected =
        ModelAnswer.of(
            whole
                ? model.removeDirectory(person.by(), directory, name)
                : model.remove(person.by(), directory, name));
    Result seen =
        whole
            ? person.client().rmDir(handle(directory), name.value())
            : person.client().remove(handle(directory), name.value());
    assertEquals(expected.status(), seen.status);
    same(
        seen.status == 0 ? expected.answer().directory() : expected.touched().directory(),
        seen.wcc);
    return seen.status;
  }

  private int rename(Person person) {
    NodeId from = anyDirectory();
    NodeId to = anyDirectory();
    String oldName = anyName();
    String newName = anyName();
    ModelAnswer<Answers.Renamed> expected =
        ModelAnswer.of(
            model.rename(person.by(), from, new FileName(oldName), to, new FileName(newName)));
    Result seen = person.client().rename(handle(from), oldName, handle(to), newName);
    assertEquals(expected.status(), seen.status);
    boolean done = seen.status == 0;
    same(done ? expected.answer().from() : expected.touched().directory(), seen.wcc);
    same(done ? expected.answer().to() : expected.touched().target(), seen.second);
    return seen.status;
  }

  private int link(Person person) {
    NodeId file = anyNode();
    NodeId directory = anyDirectory();
    String name = anyName();
    ModelAnswer<Answers.Linked> expected =
        ModelAnswer.of(model.link(person.by(), file, directory, new FileName(name)));
    Result seen = person.client().link(handle(file), handle(directory), name);
    assertEquals(expected.status(), seen.status);
    boolean done = seen.status == 0;
    NodeChange node = done ? expected.answer().node() : expected.touched().node();
    same(node.after().orElse(null), seen.node);
    same(done ? expected.answer().directory() : expected.touched().directory(), seen.wcc);
    return seen.status;
  }

  private int list(Person person) {
    NodeId directory = anyDirectory();
    ModelAnswer<Answers.Page> expected =
        ModelAnswer.of(model.list(person.by(), directory, 0, 1_000, true));
    Result seen = person.client().readDirPlus(handle(directory), 0, 1 << 16, 1 << 16);
    assertEquals(expected.status(), seen.status);
    if (seen.status == 0) {
      List<String> names = new ArrayList<>(List.of(".", ".."));
      expected.answer().entries().forEach(entry -> names.add(entry.name()));
      assertEquals(names, seen.entries.stream().map(Nfs3Client.Entry::name).toList());
      for (int i = 2; i < names.size(); i++) {
        same(
            expected.answer().entries().get(i - 2).attributes().orElse(null),
            seen.entries.get(i).attributes());
      }
      same(expected.answer().directory(), seen.directory);
    } else {
      same(expected.touched().directory().after().orElse(null), seen.directory);
    }
    return seen.status;
  }
}
