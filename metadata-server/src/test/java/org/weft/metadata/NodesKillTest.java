package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.LayoutMessage;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.XattrMode;
import org.weft.testkit.osd.FakeOsd;

/**
 * Names, links, extended attributes, layouts and files that lose their names while they are open (P
 * 6.1, 6.3 to 6.6). The manager is killed at random instants. Acknowledged changes stay. A file
 * lives exactly as long as it has a name or a client has it open. In the end the OSDs hold what the
 * namespace leads to, and nothing else.
 */
class NodesKillTest {
  private static final int OPERATIONS = Integer.getInteger("weft.kill.operations", 120);
  private static final long LEASE_MILLIS = 10_000;

  @TempDir Path folder;

  private ManagerWorld world;
  private VolumeCalls client;
  private VolumeCalls reader;
  private SplittableRandom random;
  private int kills;

  /** A file or symbolic link, under all its names. */
  private static final class Node {
    private long objectId;
    private String target = "";
    private long size;
    private final SortedMap<String, String> xattrs = new TreeMap<>();
    private int names = 1;
    private final List<SessionReply<OpenReply>> readers = new ArrayList<>();

    @Override
    public String toString() {
      return objectId + " " + size + " -> " + target + " " + names + " " + xattrs;
    }
  }

  private final TreeMap<String, Node> model = new TreeMap<>();
  private final List<Node> open = new ArrayList<>();
  private String layout = "";

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.kill.seeds", 3));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void filesLiveAsLongAsTheyAreNamedOrRead(long seed) {
    random = new SplittableRandom(seed);
    world = new ManagerWorld(seed, 4, folder);
    world.start();
    client = world.superuser();
    reader = world.client("weft", "supergroup");
    var unused = await(client.mkdir("/d", 0755, 0, false));
    for (int step = 0; step < OPERATIONS; step++) {
      if (random.nextInt(4) == 0) {
        killSoon();
      }
      step();
      if (random.nextInt(10) == 0) {
        world.pass(random.nextLong(6_000));
      }
    }
    while (!open.isEmpty()) {
      assertReadable(open.get(0));
      close(open.get(0));
    }
    // The last kill may still be to come, then renewals have to tell what was closed.
    world.pass(5_000);
    world.awaitServing();
    world.pass(2 * LEASE_MILLIS);
    assertEquals(text(model), namespace());
    SortedSet<Long> expected = objectIds();
    world.stop();
    assertEquals(expected, stored());
    world.start();
    assertEquals(text(model), namespace());
    world.kill();
    assertTrue(kills > 0);
  }

  private void killSoon() {
    kills++;
    long killMicros = random.nextLong(30_000);
    long pauseMillis = random.nextLong(1_500);
    world.time.after(
        TimeUnit.MICROSECONDS.toNanos(killMicros),
        () -> {
          if (world.isRunning()) {
            world.kill();
            world.time.after(TimeUnit.MILLISECONDS.toNanos(pauseMillis), world::launch);
          }
        });
  }

  private void step() {
    String path = path();
    Node node = model.get(path);
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> create(path, node);
      case 3, 4 -> unlink(path, node);
      case 5 -> link(path, node);
      case 6 -> symlink(path, node);
      case 7 -> rename(path, node);
      case 8 -> setXattr(path, node);
      case 9 -> setLayout();
      case 10 -> openForReading(path, node);
      default -> {
        if (!open.isEmpty()) {
          Node one = open.get(random.nextInt(open.size()));
          assertReadable(one);
          if (random.nextBoolean()) {
            close(one);
          }
        }
      }
    }
  }

  private void create(String path, Node before) {
    if (before != null && !before.target.isEmpty()) {
      return;
    }
    SessionReply<CreateReply> created =
        await(
            client.create(path, new VolumeCalls.Creation(0644, 0, true, false, Optional.empty())));
    FileAttributes file = created.body().getAttributes();
    LayoutMessage made = file.getMap().getLayout();
    assertEquals(
        layout.isEmpty() ? "2+1" : layout, made.getDataUnits() + "+" + made.getParityUnits());
    Node node = new Node();
    node.objectId = file.getObjectId();
    node.size = random.nextLong(1_000_000);
    lose(before);
    model.put(path, node);
    var unused =
        await(
            client.close(
                new SessionGrant(
                    path,
                    created.sessionId(),
                    node.objectId,
                    created.body().getGrant().getNumber()),
                node.size,
                0,
                false));
  }

  private void lose(Node node) {
    if (node != null) {
      node.names--;
    }
  }

  private void unlink(String path, Node node) {
    expect(node == null ? ErrorCode.NOT_FOUND : null, client.unlink(path));
    lose(node);
    model.remove(path);
  }

  private void link(String path, Node node) {
    String name = path();
    ErrorCode expected = model.containsKey(name) ? ErrorCode.EXISTS : null;
    expect(node == null ? ErrorCode.NOT_FOUND : expected, client.nodes().link(path, name));
    if (node != null && expected == null) {
      node.names++;
      model.put(name, node);
    }
  }

  private void symlink(String path, Node before) {
    String target = "../x" + random.nextInt(100);
    CompletableFuture<FileAttributes> made = client.nodes().symlink(target, path);
    expect(before == null ? null : ErrorCode.EXISTS, made);
    if (before == null) {
      Node node = new Node();
      node.objectId = made.join().getObjectId();
      node.target = target;
      node.size = target.length();
      model.put(path, node);
    }
  }

  private void rename(String path, Node node) {
    String target = path();
    expect(node == null ? ErrorCode.NOT_FOUND : null, client.rename(path, target, true));
    Node replaced = model.get(target);
    if (node != null && node != replaced) {
      lose(replaced);
      model.remove(path);
      model.put(target, node);
    }
  }

  private void setXattr(String path, Node node) {
    if (node != null && !node.target.isEmpty()) {
      return;
    }
    String name = "user." + random.nextInt(3);
    String value = "v".repeat(random.nextInt(4_000));
    expect(
        node == null ? ErrorCode.NOT_FOUND : null,
        client
            .nodes()
            .setXattr(
                path, name, value.getBytes(StandardCharsets.UTF_8), XattrMode.CREATE_OR_REPLACE));
    if (node != null) {
      node.xattrs.put(name, value);
    }
  }

  private void setLayout() {
    layout = random.nextBoolean() ? "" : "1+" + (1 + random.nextInt(2));
    Optional<LayoutMessage> wish =
        layout.isEmpty()
            ? Optional.empty()
            : Optional.of(
                LayoutMessage.newBuilder()
                    .setDataUnits(1)
                    .setParityUnits(layout.charAt(2) - '0')
                    .build());
    var unused = await(client.nodes().setLayout("/d", wish));
  }

  private void openForReading(String path, Node node) {
    if (node != null && node.target.isEmpty()) {
      node.readers.add(await(reader.openForReading(path)));
      open.add(node);
    }
  }

  /** Whether it has a name or not. */
  private void assertReadable(Node node) {
    String what = "object " + node.objectId;
    ByteString handle = node.readers.get(0).body().getHandle();
    SessionReply<OpenReply> again = await(reader.openAgain(what, node.objectId, handle));
    assertEquals(node.size, again.body().getAttributes().getSize());
    assertEquals(node.names, again.body().getAttributes().getLinks());
    reader.closeReading(again.sessionId(), node.objectId);
  }

  private void close(Node node) {
    open.remove(node);
    SessionReply<OpenReply> opened = node.readers.remove(0);
    reader.closeReading(opened.sessionId(), node.objectId);
  }

  private String path() {
    return "/d/" + (char) ('a' + random.nextInt(6));
  }

  private void expect(ErrorCode expected, CompletableFuture<?> call) {
    ErrorCode actual = null;
    String message = "";
    try {
      var unused = world.time.await(call);
    } catch (CompletionException e) {
      WeftException refusal = WeftException.of(e);
      actual = refusal.code();
      message = refusal.getMessage();
    }
    assertEquals(expected, actual, message + " after " + kills + " kills; " + model);
  }

  private <T> T await(CompletableFuture<T> call) {
    return world.time.await(call);
  }

  private static SortedMap<String, String> text(Map<String, Node> nodes) {
    SortedMap<String, String> text = new TreeMap<>();
    nodes.forEach((path, node) -> text.put(path, node.toString()));
    return text;
  }

  private SortedMap<String, String> namespace() {
    SortedMap<String, String> found = new TreeMap<>();
    for (DirectoryEntry entry : await(client.readdir("/d", 0, 100, false)).getEntriesList()) {
      String path = "/d/" + entry.getName();
      FileAttributes file = await(client.nodes().attributes(path, true, true)).getAttributes();
      assertEquals(entry.getKind(), file.getKind());
      assertEquals(file.getKind() == FileKind.SYMLINK, file.getSymlinkTarget().size() > 0);
      Node node = new Node();
      node.objectId = file.getObjectId();
      node.target = file.getSymlinkTarget().toStringUtf8();
      node.size = file.getSize();
      node.names = file.getLinks();
      file.getXattrList()
          .forEach(xattr -> node.xattrs.put(xattr.getName(), xattr.getValue().toStringUtf8()));
      found.put(path, node.toString());
    }
    return found;
  }

  private SortedSet<Long> objectIds() {
    SortedSet<Long> ids = new TreeSet<>();
    ids.add(1L);
    ids.add(await(client.attributes("/d")).getObjectId());
    model.values().forEach(node -> ids.add(node.objectId));
    return ids;
  }

  /** Every object that some OSD holds. */
  private SortedSet<Long> stored() {
    SortedSet<Long> ids = new TreeSet<>();
    for (FakeOsd osd : world.osds) {
      osd.objects().forEach(name -> ids.add(name.object().value()));
    }
    return ids;
  }
}
