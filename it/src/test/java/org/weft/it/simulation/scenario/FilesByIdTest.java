package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftPath;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.BeforeChange;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.TimeWish;
import org.weft.client.ids.WriteStability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.simulator.node.ClientNode;

/** Files by their numbers, through managers and OSDs, as a gateway asks for them (P 6.5c). */
class FilesByIdTest {
  private static final RequestBy ROOT =
      RequestBy.caller(new OnBehalfOf("root", List.of("root"), true));
  private static final RequestBy ANN =
      RequestBy.caller(new OnBehalfOf("ann", List.of("makers", "readers"), false));
  private static final RequestBy BOB =
      RequestBy.caller(new OnBehalfOf("bob", List.of("users"), false));

  private final Stage stage = Stage.boot();
  private final ClientNode gateway;
  private final FilesById files;
  private final NodeId home;

  /** A gateway, and a directory for all. */
  FilesByIdTest() throws WeftException {
    gateway = stage.gateway();
    files = gateway.filesById();
    NodeAttributes top = stage.call(files.resolve("/"));
    Answers.Made made =
        stage.call(
            files.make(ROOT, top.id(), "home", new NewNode.Directory(AttributesWish.ofMode(0777))));
    home = made.node().id();
  }

  private NodeAttributes file(RequestBy by, String name) throws WeftException {
    return stage
        .call(files.create(by, home, name, new CreateWish.Guarded(AttributesWish.ofMode(0640))))
        .node();
  }

  private Answers.BytesWritten write(
      RequestBy by, NodeId file, long position, byte[] bytes, WriteStability stability)
      throws WeftException {
    return stage.call(
        files.write(by, file, position, Payload.of(ByteBuffer.wrap(bytes)), stability));
  }

  private byte[] read(FilesById from, RequestBy by, NodeId file, long position, int count)
      throws WeftException {
    Answers.BytesRead read = stage.call(from.read(by, file, position, count));
    ByteBuffer all = ByteBuffer.allocate(read.bytes().lengthBytes());
    read.bytes().buffers().forEach(each -> all.put(each.duplicate()));
    read.bytes().release();
    return all.array();
  }

  private void refused(ErrorCode code, CompletableFuture<?> call) {
    assertEquals(code, stage.failureOf(call).code());
  }

  @Test
  void aFileIsMadeWrittenAndReadByItsNumber() throws Exception {
    NodeAttributes made = file(ANN, "f");
    assertEquals("ann", made.owner());
    assertEquals("makers", made.group());
    byte[] bytes = Stage.bytes(1, 50_000);
    write(ANN, made.id(), 0, bytes, WriteStability.UNSTABLE);
    assertArrayEquals(bytes, read(files, ANN, made.id(), 0, 100_000), "it reads what it took");
    NodeAttributes after = stage.call(files.commit(ANN, made.id())).after().orElseThrow();
    assertEquals(bytes.length, after.sizeBytes());
    FilesById other = stage.gateway().filesById();
    assertArrayEquals(bytes, read(other, ANN, made.id(), 0, 100_000));
    assertArrayEquals(bytes, stage.read(stage.client(), "/home/f"));
  }

  @Test
  void anOverwriteIsSeenByItsTimesOnceItIsCommitted() throws Exception {
    NodeAttributes made = file(ANN, "f");
    write(ANN, made.id(), 0, new byte[20_000], WriteStability.STABLE);
    NodeAttributes before = stage.call(files.attributes(ANN, made.id()));
    stage.world().pass(50);
    write(ANN, made.id(), 100, new byte[] {1, 2, 3}, WriteStability.UNSTABLE);
    NodeAttributes after = stage.call(files.commit(ANN, made.id())).after().orElseThrow();
    assertTrue(after.mtimeNanos() > before.mtimeNanos(), before + " -> " + after);
    assertTrue(after.ctimeNanos() > before.ctimeNanos());
    stage.world().pass(20_000);
    NodeAttributes closed = stage.call(files.attributes(ANN, made.id()));
    assertEquals(after.ctimeNanos(), closed.ctimeNanos(), "giving the grant back changes no time");
    assertEquals(after.mtimeNanos(), closed.mtimeNanos());
  }

  @Test
  void timesThatAreSetAfterAnUnstableWriteAreTheLast() throws Exception {
    NodeId made = file(ANN, "f").id();
    TimeWish longAgo = new TimeWish.At(1_000_000_000);
    for (int count : new int[] {100, 100_000, 100}) {
      write(ANN, made, 0, new byte[count], WriteStability.UNSTABLE);
      NodeAttributes set =
          stage
              .call(
                  files.setAttributes(
                      ANN, made, AttributesWish.NOTHING.withMtime(longAgo), OptionalLong.empty()))
              .after()
              .orElseThrow();
      assertEquals(1_000_000_000, set.mtimeNanos());
      stage.call(files.commit(ANN, made));
      assertEquals(set.mtimeNanos(), stage.call(files.attributes(ANN, made)).mtimeNanos());
      stage.world().pass(20_000);
      NodeAttributes closed = stage.call(files.attributes(ANN, made));
      assertEquals(set.mtimeNanos(), closed.mtimeNanos(), "nor does closing change them");
      assertEquals(set.ctimeNanos(), closed.ctimeNanos());
    }
    write(ANN, made, 0, new byte[100], WriteStability.UNSTABLE);
    NodeAttributes later = stage.call(files.commit(ANN, made)).after().orElseThrow();
    assertTrue(later.mtimeNanos() > 1_000_000_000);
  }

  /** P 6.5c.8.37. */
  @Test
  void refusalCarriesTheAttributesItLookedAt() throws Exception {
    NodeId made = file(ANN, "f").id();
    var missing = files.lookUp(BOB, home, "none");
    assertEquals(ErrorCode.NOT_FOUND, stage.failureOf(missing).code());
    Answers.LookedAt told = files.lookedAt(home, stage.failureOf(missing));
    NodeAttributes directory = stage.call(files.attributes(ANN, home));
    assertEquals(NodeChange.unchanged(directory), told.directory());
    var denied = files.setAttributes(BOB, made, AttributesWish.ofMode(0777), OptionalLong.empty());
    assertEquals(
        NodeChange.unchanged(stage.call(files.attributes(ANN, made))),
        files.lookedAt(made, stage.failureOf(denied)).node());
    assertEquals(
        Answers.LookedAt.NOTHING,
        files.lookedAt(home, new WeftException(ErrorCode.UNAVAILABLE, "nothing was said")));
  }

  /** The gateway has it open for many users, and asks before it takes bytes (P 6.5c.8.34). */
  @Test
  void bytesOfAnyUserTakeTheRightToRunAsTheOwner() throws Exception {
    NodeId made = file(ANN, "f").id();
    for (WriteStability stability : WriteStability.values()) {
      mark(made);
      write(ROOT, made, 0, new byte[] {1}, stability);
      write(BOB, made, 0, new byte[0], stability);
      assertEquals(06777, stage.call(files.attributes(ANN, made)).mode(), "superuser; no byte");
      NodeAttributes told =
          write(BOB, made, 0, new byte[] {2}, stability).node().after().orElseThrow();
      assertEquals(0777, told.mode());
      assertEquals(0777, stage.call(stage.gateway().filesById().attributes(ANN, made)).mode());
      mark(made);
      write(ANN, made, 0, new byte[] {3}, stability);
      assertEquals(0777, stage.call(files.attributes(ANN, made)).mode(), "its owner's, too");
    }
  }

  private void mark(NodeId file) throws WeftException {
    var unused =
        stage.call(
            files.setAttributes(ANN, file, AttributesWish.ofMode(06777), OptionalLong.empty()));
  }

  @Test
  void namesAreMadeMovedLinkedAndRemoved() throws Exception {
    NodeAttributes made = file(ANN, "f");
    assertEquals(made.id(), stage.call(files.lookUp(ANN, home, "f")).node().id());
    Answers.Made below =
        stage.call(files.make(ANN, home, "d", new NewNode.Directory(AttributesWish.NOTHING)));
    NodeId directory = below.node().id();
    Answers.Linked linked = stage.call(files.link(ANN, made.id(), directory, "g"));
    assertEquals(2, linked.node().after().orElseThrow().links());
    Answers.Renamed moved = stage.call(files.rename(ANN, home, "f", directory, "h"));
    assertEquals(home, moved.from().after().orElseThrow().id());
    assertEquals(directory, moved.to().after().orElseThrow().id());
    Answers.Page page = stage.call(files.list(ANN, directory, 0, 100, true));
    assertEquals(
        List.of("g", "h"), page.entries().stream().map(Answers.Entry::name).sorted().toList());
    assertTrue(page.atEnd());
    assertEquals(home, page.parent());
    assertEquals(home, stage.call(files.parent(ANN, directory)).node().id());
    refused(ErrorCode.NOT_EMPTY, files.removeDirectory(ANN, home, "d"));
    refused(ErrorCode.IS_DIRECTORY, files.remove(ANN, home, "d"));
    for (String name : List.of("g", "h")) {
      NodeChange left = stage.call(files.remove(ANN, directory, name)).directory();
      assertTrue(left.before().isPresent());
    }
    stage.call(files.removeDirectory(ANN, home, "d"));
    refused(ErrorCode.STALE, files.attributes(ANN, directory));
    refused(ErrorCode.STALE, files.attributes(ANN, made.id()));
    refused(ErrorCode.STALE, files.create(ANN, directory, "x", new CreateWish.Exclusive(1)));
  }

  @Test
  void eachCallerHasItsOwnRights() throws Exception {
    NodeAttributes made = file(ANN, "f");
    refused(ErrorCode.PERMISSION_DENIED, files.read(BOB, made.id(), 0, 10));
    refused(
        ErrorCode.PERMISSION_DENIED,
        files.write(
            BOB, made.id(), 0, Payload.of(ByteBuffer.wrap(new byte[1])), WriteStability.UNSTABLE));
    refused(
        ErrorCode.NOT_OWNER,
        files.setAttributes(BOB, made.id(), AttributesWish.ofMode(0777), OptionalLong.empty()));
    stage.call(files.setAttributes(ANN, made.id(), AttributesWish.ofMode(0), OptionalLong.empty()));
    assertEquals(0, read(files, ANN, made.id(), 0, 10).length, "the owner may always");
    assertFalse(stage.call(files.rights(ANN, made.id())).read());
  }

  @Test
  void aLengthIsSetAndOthersSeeIt() throws Exception {
    NodeAttributes made = file(ANN, "f");
    byte[] bytes = Stage.bytes(1, 50_000);
    write(ANN, made.id(), 0, bytes, WriteStability.UNSTABLE);
    NodeChange cut =
        stage.call(
            files.setAttributes(
                ANN, made.id(), AttributesWish.ofSize(1_000), OptionalLong.empty()));
    assertEquals(1_000, cut.after().orElseThrow().sizeBytes());
    assertArrayEquals(Arrays.copyOf(bytes, 1_000), read(files, ANN, made.id(), 0, 100_000));
    Answers.Made again =
        stage.call(
            files.create(ANN, home, "f", new CreateWish.Unchecked(AttributesWish.ofSize(0))));
    assertEquals(made.id(), again.node().id());
    assertFalse(again.made());
    assertEquals(0, again.node().sizeBytes());
  }

  /** P 6.5.75 to 6.5.78: none of them waits until the one that writes is idle. */
  @Test
  void writtenFileIsTruncatedThroughAnotherGatewayAndByPath() throws Exception {
    NodeId made = file(ANN, "f").id();
    FilesById other = stage.gateway().filesById();
    ClientNode client = stage.client();
    byte[] bytes = Stage.bytes(1, 60_000);
    for (int round = 0; round < 3; round++) {
      write(ANN, made, 0, bytes, WriteStability.STABLE);
      int size = 20_000 + round;
      CompletableFuture<NodeChange> set =
          other.setAttributes(ANN, made, AttributesWish.ofSize(size), OptionalLong.empty());
      writeUntil(set, made, bytes);
      assertEquals(size, stage.call(set).after().orElseThrow().sizeBytes());
      assertEquals(size, stage.call(files.attributes(ANN, made)).sizeBytes(), "at the writer, too");
      assertEquals(size, stage.call(other.attributes(ANN, made)).sizeBytes());
      write(ANN, made, 50_000, new byte[] {1}, WriteStability.STABLE);
      byte[] expected = Arrays.copyOf(Arrays.copyOf(bytes, size), 50_001);
      expected[50_000] = 1;
      assertArrayEquals(expected, read(other, ANN, made, 0, 100_000));
      CompletableFuture<?> cut = client.files().truncate(WeftPath.of("/home/f"), 100);
      writeUntil(cut, made, bytes);
      var done = stage.call(cut);
      assertEquals(100, stage.call(files.attributes(ANN, made)).sizeBytes());
      assertArrayEquals(Arrays.copyOf(bytes, 100), read(files, ANN, made, 0, 100_000));
    }
  }

  /** It has the file open for writing still, with the length of before. */
  @Test
  void gatewayShowsTheLengthOfATruncationItHasNotSeen() throws Exception {
    NodeId made = file(ANN, "f").id();
    FilesById other = stage.gateway().filesById();
    write(ANN, made, 0, Stage.bytes(1, 60_000), WriteStability.STABLE);
    stage.call(other.setAttributes(ANN, made, AttributesWish.ofSize(70), OptionalLong.empty()));
    assertEquals(70, stage.call(files.attributes(ANN, made)).sizeBytes());
    assertEquals(70, read(files, ANN, made, 0, 100_000).length);
  }

  /** Within what no cut takes away, so often that the file is never idle. */
  private void writeUntil(CompletableFuture<?> call, NodeId file, byte[] bytes) throws Exception {
    while (!call.isDone()) {
      write(ANN, file, 0, Arrays.copyOf(bytes, 100), WriteStability.STABLE);
    }
  }

  @Test
  void aFileThatWasMadeExclusivelyIsMadeByTheRetryToo() throws Exception {
    CreateWish exclusive = new CreateWish.Exclusive(4711);
    Answers.Made made = stage.call(files.create(ANN, home, "x", exclusive));
    Answers.Made again = stage.call(files.create(ANN, home, "x", exclusive));
    assertEquals(made.node().id(), again.node().id());
    refused(ErrorCode.EXISTS, files.create(ANN, home, "x", new CreateWish.Exclusive(4712)));
    stage.call(
        files.setAttributes(
            ANN, made.node().id(), AttributesWish.ofMode(0600), OptionalLong.empty()));
    refused(ErrorCode.EXISTS, files.create(ANN, home, "x", exclusive));
  }

  @Test
  void manyCallsOnOneFileAreUnderWayAtOnce() throws Exception {
    NodeAttributes made = file(ANN, "f");
    FilesById second = stage.gateway().filesById();
    byte[] expected = new byte[40 * 5_000];
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int part = 0; part < 40; part++) {
      byte[] bytes = Stage.bytes(part, 5_000);
      System.arraycopy(bytes, 0, expected, part * 5_000, bytes.length);
      FilesById by = part % 2 == 0 ? files : second;
      calls.add(
          by.write(
              ANN,
              made.id(),
              part * 5_000L,
              Payload.of(ByteBuffer.wrap(bytes)),
              part % 7 == 0 ? WriteStability.STABLE : WriteStability.UNSTABLE));
      calls.add(by.read(ANN, made.id(), 0, 10_000));
    }
    for (CompletableFuture<?> call : calls) {
      var unused = stage.call(call);
    }
    stage.call(files.commit(ANN, made.id()));
    stage.call(second.commit(ANN, made.id()));
    assertArrayEquals(expected, read(files, ANN, made.id(), 0, 1 << 20));
    assertArrayEquals(expected, read(second, ANN, made.id(), 0, 1 << 20));
    assertEquals(0, files.losses() + second.losses());
  }

  @Test
  void acceptedBytesThatAreLostCountAsLosses() throws Exception {
    NodeAttributes made = file(ANN, "f");
    write(ANN, made.id(), 0, new byte[] {1, 2, 3}, WriteStability.UNSTABLE);
    gateway.pause();
    // Its session ends, and the file is taken from it.
    stage.world().pass(30_000);
    gateway.resume();
    var failed = files.commit(ANN, made.id());
    stage.world().await("the commit has ended", 120_000, failed::isDone);
    assertTrue(files.losses() > 0, "a commit that comes too late says that bytes are lost");
    write(ANN, made.id(), 0, new byte[] {4, 5, 6}, WriteStability.STABLE);
    assertArrayEquals(new byte[] {4, 5, 6}, read(files, ANN, made.id(), 0, 10));
  }

  @Test
  void anUnusedFileIsGivenBackToOthers() throws Exception {
    NodeAttributes made = file(ANN, "f");
    write(ANN, made.id(), 0, new byte[] {1, 2, 3}, WriteStability.UNSTABLE);
    stage.world().pass(5_000);
    var out = stage.call(stage.client().files().append(WeftPath.of("/home/f")));
    stage.call(out.write(ByteBuffer.wrap(new byte[] {4})));
    var closed = stage.call(out.close());
    assertArrayEquals(new byte[] {1, 2, 3, 4}, read(files, ANN, made.id(), 0, 10));
    assertEquals(0, files.losses());
  }

  @Test
  void spaceIsWhatFilesCanUse() throws Exception {
    Answers.Space space = stage.call(files.space(ANN, home));
    long raw = stage.call(stage.client().files().statfs()).capacityBytes();
    assertTrue(space.totalBytes() > raw / 2 && space.totalBytes() < raw, space + " of " + raw);
    assertTrue(space.freeBytes() <= space.totalBytes());
  }

  @Test
  void repliesCarryAttributesBeforeAndAfterAChange() throws Exception {
    NodeAttributes before = stage.call(files.attributes(ANN, home));
    Answers.Made made = stage.call(files.create(ANN, home, "x", new CreateWish.Exclusive(1)));
    assertEquals(Optional.of(BeforeChange.of(before)), made.directory().before());
    NodeAttributes after = stage.call(files.attributes(ANN, home));
    assertEquals(Optional.of(after), made.directory().after());
  }

  @Test
  void aGuardIsComparedWithTheTimeOfTheLastChange() throws Exception {
    NodeAttributes made = file(ANN, "f");
    AttributesWish mode = AttributesWish.ofMode(0600);
    OptionalLong guard = OptionalLong.of(made.ctimeNanos());
    stage.call(files.setAttributes(ANN, made.id(), mode, guard));
    refused(ErrorCode.GUARD_FAILED, files.setAttributes(ANN, made.id(), mode, guard));
  }

  @Test
  void specialFilesAreKeptAndOtherClientsDoNotOpenThem() throws Exception {
    Answers.Made made =
        stage.call(
            files.make(
                ROOT,
                home,
                "null",
                new NewNode.Special(AttributesWish.ofMode(0666), NodeType.CHARACTER_DEVICE, 1, 3)));
    refused(
        ErrorCode.NOT_OWNER,
        files.make(
            ANN,
            home,
            "disk",
            new NewNode.Special(AttributesWish.ofMode(0666), NodeType.BLOCK_DEVICE, 8, 1)));
    assertEquals(1, made.node().rdevMajor());
    assertEquals(3, made.node().rdevMinor());
    ClientNode other = stage.client();
    refused(ErrorCode.UNSUPPORTED, other.files().open(WeftPath.of("/home/null")));
    refused(ErrorCode.UNSUPPORTED, other.files().append(WeftPath.of("/home/null")));
    refused(ErrorCode.UNSUPPORTED, files.read(ROOT, made.node().id(), 0, 1));
  }

  @Test
  void aClientWithoutTheJoinTokenGetsNothingByNumbers() throws Exception {
    ClientNode stranger = stage.client();
    try {
      var unused = stranger.filesById();
      throw new AssertionError("it has no token");
    } catch (IllegalStateException expected) {
      assertTrue(expected.getMessage().contains("join token"));
    }
  }
}
