package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.volume.operation.number.MakeNode;
import org.weft.metadata.volume.operation.number.NodeWish;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.NodeChange;
import org.weft.protocol.wire.NodeReply;

/**
 * Random operations on nodes by their numbers against maps of names and of nodes (P 6.5c), while
 * the clock stands, jumps ahead and goes back. Each reply must say what the nodes were before and
 * are after, and their ctime must grow. Managers that begin from prefixes of the journal must show
 * what was there.
 */
class NumberedModelTest {
  private static final int OPERATIONS = 300;
  private static final long ROOT = ObjectId.ROOT.value();
  private static final List<String> NAMES = List.of("a", "b", "c", "d");
  private static final List<NodeKind> KINDS =
      List.of(NodeKind.FILE, NodeKind.FILE, NodeKind.DIRECTORY, NodeKind.SYMLINK, NodeKind.FIFO);

  /** Names of each directory, and where they lead. */
  private TreeMap<Long, TreeMap<String, Long>> names = new TreeMap<>();

  /** Every node as it was told last. */
  private TreeMap<Long, FileAttributes> nodes = new TreeMap<>();

  /** Of files that were made EXCLUSIVE and are as they were made. */
  private final Map<Long, Long> verifiers = new TreeMap<>();

  private final List<Long> gone = new ArrayList<>();

  private record Seen(
      int records,
      TreeMap<Long, TreeMap<String, Long>> names,
      TreeMap<Long, FileAttributes> nodes) {}

  private final List<Seen> history = new ArrayList<>();
  private SplittableRandom random;
  private TestVolume volume;
  private NumberedClient client;

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.model.seeds", 6));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nodesMatchAMap(long seed) throws WeftException {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    client = new NumberedClient(volume.trustedClient("gateway"), NumberedClient.ROOT);
    names.put(ROOT, new TreeMap<>());
    nodes.put(ROOT, client.look(ROOT));
    for (int step = 0; step < OPERATIONS; step++) {
      volume.pass(List.of(0L, 0L, 1L, 700L, -5_000L).get(random.nextInt(5)));
      step();
      if (random.nextInt(10) == 0) {
        compare(client, names, nodes);
        history.add(new Seen(volume.records().size(), copyOfNames(), new TreeMap<>(nodes)));
      }
      if (random.nextInt(60) == 0) {
        volume = volume.restarted();
        // One of before that has yet to say what it reads would keep files without names.
        volume.own(new CloseSession(client.client().session()));
        client = new NumberedClient(volume.trustedClient("gateway"), NumberedClient.ROOT);
      }
    }
    for (Seen seen : history) {
      TestVolume restarted = volume.restarted(seen.records());
      NumberedClient fresh =
          new NumberedClient(restarted.trustedClient("gateway"), NumberedClient.ROOT);
      compare(fresh, seen.names(), seen.nodes());
    }
  }

  private TreeMap<Long, TreeMap<String, Long>> copyOfNames() {
    TreeMap<Long, TreeMap<String, Long>> copy = new TreeMap<>();
    names.forEach((directory, entries) -> copy.put(directory, new TreeMap<>(entries)));
    return copy;
  }

  private void compare(
      NumberedClient by,
      TreeMap<Long, TreeMap<String, Long>> expectedNames,
      TreeMap<Long, FileAttributes> expectedNodes)
      throws WeftException {
    for (Map.Entry<Long, FileAttributes> node : expectedNodes.entrySet()) {
      assertEquals(node.getValue(), by.look(node.getKey()));
    }
    for (Map.Entry<Long, TreeMap<String, Long>> directory : expectedNames.entrySet()) {
      TreeMap<String, Long> listed = new TreeMap<>();
      for (DirectoryEntry entry : by.list(directory.getKey(), 1 + random.nextInt(3))) {
        listed.put(entry.getName(), entry.getObjectId());
        assertEquals(expectedNodes.get(entry.getObjectId()), entry.getAttributes());
      }
      assertEquals(directory.getValue(), listed);
    }
  }

  private long anyDirectory() {
    List<Long> all = List.copyOf(names.keySet());
    return all.get(random.nextInt(all.size()));
  }

  private long anyNode() {
    if (!gone.isEmpty() && random.nextInt(8) == 0) {
      return gone.get(random.nextInt(gone.size()));
    }
    List<Long> all = List.copyOf(nodes.keySet());
    return all.get(random.nextInt(all.size()));
  }

  private String anyName() {
    return NAMES.get(random.nextInt(NAMES.size()));
  }

  private boolean isDirectory(long node) {
    return nodes.get(node).getKind() == FileKind.DIRECTORY;
  }

  private void step() throws WeftException {
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> make(anyDirectory(), anyName(), KINDS.get(random.nextInt(KINDS.size())));
      case 3 -> remove(anyDirectory(), anyName(), random.nextBoolean());
      case 4, 5 -> move(anyDirectory(), anyName(), anyDirectory(), anyName());
      case 6 -> link(anyNode(), anyDirectory(), anyName());
      case 7, 8 -> set(anyNode());
      default -> lookUp(anyNode(), anyName());
    }
  }

  @FunctionalInterface
  private interface Call {
    NodeReply make() throws WeftException;
  }

  /**
   * What the call answers; empty if it is refused, as it is to be. Then it tells what it looked at.
   *
   * @param named the node or directory that is named by its number
   */
  private Optional<NodeReply> expecting(long named, ErrorCode refusal, Call call)
      throws WeftException {
    try {
      NodeReply reply = call.make();
      assertEquals(null, refusal, "it is to be refused");
      return Optional.of(reply);
    } catch (WeftException e) {
      if (e.code() != refusal) {
        throw new AssertionError("expected " + refusal, e);
      }
      requireTold(named, e.detail());
      return Optional.empty();
    }
  }

  private void requireTold(long named, ByteString detail) {
    NodeReply told;
    try {
      told = NodeReply.parseFrom(detail);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
    Set<Long> seen = new TreeSet<>();
    for (NodeChange each : List.of(told.getNode(), told.getDirectory(), told.getTarget())) {
      if (each.hasAfter()) {
        unchanged(each.getAfter().getObjectId(), each);
        seen.add(each.getAfter().getObjectId());
      }
    }
    assertEquals(nodes.containsKey(named), seen.contains(named), "of " + named + ": " + told);
  }

  /** It was that before, has changed now, and is that from now on. */
  private void changed(long node, NodeChange change) {
    FileAttributes before = nodes.get(node);
    if (before != null) {
      assertTrue(change.getHasBefore());
      assertEquals(before.getSize(), change.getBeforeSize());
      assertEquals(ctime(before), change.getBeforeCtimeNanos());
      assertEquals(mtime(before), change.getBeforeMtimeNanos());
      assertTrue(ctime(change.getAfter()) > ctime(before), "ctime grows");
    } else {
      assertFalse(change.getHasBefore());
    }
    assertEquals(node, change.getAfter().getObjectId());
    nodes.put(node, change.getAfter());
  }

  private void unchanged(long node, NodeChange change) {
    assertEquals(nodes.get(node), change.getAfter());
    assertEquals(ctime(nodes.get(node)), change.getBeforeCtimeNanos());
  }

  private static long ctime(FileAttributes node) {
    return node.getCtimeMillis() * 1_000_000 + node.getCtimeNanos();
  }

  private static long mtime(FileAttributes node) {
    return node.getMtimeMillis() * 1_000_000 + node.getMtimeNanos();
  }

  private void make(long directory, String name, NodeKind kind) throws WeftException {
    Long there = names.get(directory).get(name);
    MakeNode.Mode mode =
        kind == NodeKind.FILE ? MakeNode.Mode.values()[random.nextInt(3)] : MakeNode.Mode.GUARDED;
    long verifier = 1 + random.nextInt(2);
    boolean file = there != null && nodes.get(there).getKind() == FileKind.FILE;
    boolean taken =
        file
            && (mode == MakeNode.Mode.UNCHECKED
                || mode == MakeNode.Mode.EXCLUSIVE
                    && Objects.equals(verifiers.get(there), verifier));
    ErrorCode refusal = there != null && !taken ? ErrorCode.EXISTS : null;
    Optional<NodeReply> reply =
        expecting(
            directory,
            refusal,
            () -> client.make(directory, name, kind, mode, NodeWish.NOTHING, verifier));
    if (reply.isEmpty()) {
      return;
    }
    if (taken) {
      unchanged(directory, reply.get().getDirectory());
      unchanged(there, reply.get().getNode());
      return;
    }
    long made = reply.get().getNode().getAfter().getObjectId();
    assertTrue(reply.get().getMade());
    changed(directory, reply.get().getDirectory());
    changed(made, reply.get().getNode());
    names.get(directory).put(name, made);
    if (kind == NodeKind.DIRECTORY) {
      names.put(made, new TreeMap<>());
    } else if (mode == MakeNode.Mode.EXCLUSIVE) {
      verifiers.put(made, verifier);
    }
  }

  /** Of a node that loses a name. */
  private void lost(long node, NodeChange change) {
    if (isDirectory(node) || nodes.get(node).getLinks() == 1) {
      assertFalse(change.hasAfter());
      assertEquals(ctime(nodes.get(node)), change.getBeforeCtimeNanos());
      nodes.remove(node);
      names.remove(node);
      gone.add(node);
    } else {
      changed(node, change);
    }
  }

  private void remove(long directory, String name, boolean asDirectory) throws WeftException {
    Long there = names.get(directory).get(name);
    ErrorCode refusal = null;
    if (there == null) {
      refusal = ErrorCode.NOT_FOUND;
    } else if (isDirectory(there) != asDirectory) {
      refusal = asDirectory ? ErrorCode.NOT_DIRECTORY : ErrorCode.IS_DIRECTORY;
    } else if (asDirectory && !names.get(there).isEmpty()) {
      refusal = ErrorCode.NOT_EMPTY;
    }
    Optional<NodeReply> reply =
        expecting(directory, refusal, () -> client.remove(directory, name, asDirectory));
    if (reply.isPresent()) {
      names.get(directory).remove(name);
      changed(directory, reply.get().getDirectory());
      lost(there, reply.get().getNode());
    }
  }

  private boolean isBelow(long directory, long above) {
    for (long at = directory; at != ROOT; at = nodes.get(at).getParentObjectId()) {
      if (at == above) {
        return true;
      }
    }
    return above == ROOT;
  }

  private ErrorCode refusalOfMove(Long moving, long from, long to, Long there) {
    if (moving == null) {
      return ErrorCode.NOT_FOUND;
    }
    if (moving.equals(there)) {
      return null;
    }
    if (isDirectory(moving) && from != to && isBelow(to, moving)) {
      return ErrorCode.INVALID_ARGUMENT;
    }
    if (there != null && isDirectory(there) != isDirectory(moving)) {
      return isDirectory(there) ? ErrorCode.IS_DIRECTORY : ErrorCode.NOT_DIRECTORY;
    }
    return there != null && isDirectory(there) && !names.get(there).isEmpty()
        ? ErrorCode.NOT_EMPTY
        : null;
  }

  private void move(long from, String name, long to, String newName) throws WeftException {
    Long moving = names.get(from).get(name);
    Long there = names.get(to).get(newName);
    ErrorCode refusal = refusalOfMove(moving, from, to, there);
    Optional<NodeReply> answer = expecting(to, refusal, () -> client.move(from, name, to, newName));
    if (answer.isEmpty()) {
      return;
    }
    NodeReply reply = answer.get();
    if (moving.equals(there)) {
      unchanged(from, reply.getDirectory());
      return;
    }
    changed(from, reply.getDirectory());
    assertEquals(from != to, reply.hasTarget());
    if (from != to) {
      changed(to, reply.getTarget());
    }
    changed(moving, reply.getNode());
    assertEquals(there != null, reply.hasReplaced());
    if (there != null) {
      lost(there, reply.getReplaced());
    }
    names.get(from).remove(name);
    names.get(to).put(newName, moving);
  }

  private void link(long node, long directory, String name) throws WeftException {
    ErrorCode refusal = null;
    if (!nodes.containsKey(node)) {
      refusal = ErrorCode.STALE;
    } else if (isDirectory(node)) {
      refusal = ErrorCode.IS_DIRECTORY;
    } else if (names.get(directory).containsKey(name)) {
      refusal = ErrorCode.EXISTS;
    }
    Optional<NodeReply> reply = expecting(node, refusal, () -> client.link(node, directory, name));
    if (reply.isPresent()) {
      names.get(directory).put(name, node);
      changed(directory, reply.get().getDirectory());
      changed(node, reply.get().getNode());
    }
  }

  private void set(long node) throws WeftException {
    boolean there = nodes.containsKey(node);
    long right = there ? ctime(nodes.get(node)) : 0;
    OptionalLong guard =
        random.nextBoolean()
            ? OptionalLong.empty()
            : OptionalLong.of(random.nextBoolean() ? right : right - 1);
    boolean guarded = guard.isPresent() && guard.getAsLong() != right;
    ErrorCode refusal = guarded ? ErrorCode.GUARD_FAILED : null;
    int mode = random.nextInt(01000);
    Optional<NodeReply> reply =
        expecting(
            node,
            there ? refusal : ErrorCode.STALE,
            () -> client.set(node, NumberedClient.mode(mode), guard));
    if (reply.isPresent()) {
      changed(node, reply.get().getNode());
      assertEquals(mode, nodes.get(node).getMode());
      verifiers.remove(node);
    }
  }

  private void lookUp(long directory, String name) throws WeftException {
    ErrorCode refusal = null;
    if (!nodes.containsKey(directory)) {
      refusal = ErrorCode.STALE;
    } else if (!isDirectory(directory)) {
      refusal = ErrorCode.NOT_DIRECTORY;
    } else if (!names.get(directory).containsKey(name)) {
      refusal = ErrorCode.NOT_FOUND;
    }
    Optional<NodeReply> reply = expecting(directory, refusal, () -> client.lookUp(directory, name));
    if (reply.isPresent()) {
      unchanged(names.get(directory).get(name), reply.get().getNode());
      unchanged(directory, reply.get().getDirectory());
      NodeReply above = client.parent(directory);
      long parent = directory == ROOT ? ROOT : nodes.get(directory).getParentObjectId();
      unchanged(parent, above.getNode());
    }
  }
}
