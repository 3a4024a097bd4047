package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.number.LookUpNode;
import org.weft.metadata.volume.operation.number.NodeWish;
import org.weft.metadata.volume.operation.number.OpenNode;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.EndLapsedSession;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.FileAttributes;

/**
 * What users may do to nodes by their numbers, on behalf of others too (P 6.5c), and their times.
 */
class OnBehalfTest {
  private static final long ROOT = ObjectId.ROOT.value();
  private static final Credentials ANN =
      new Credentials("ann", List.of("makers", "readers"), false);
  private static final Credentials BOB = new Credentials("bob", List.of("users"), false);

  private TestVolume volume;
  private NumberedClient root;
  private NumberedClient ann;
  private NumberedClient bob;

  @BeforeEach
  void aTrustedSession() throws WeftException {
    volume = TestVolume.formatted(3);
    root = new NumberedClient(volume.trustedClient("gateway"), NumberedClient.ROOT);
    ann = root.as(ANN);
    bob = root.as(BOB);
  }

  private static void refused(ErrorCode expected, Executable attempt) {
    assertEquals(expected, assertThrows(WeftException.class, attempt).code());
  }

  private long directory(int mode) throws WeftException {
    return root.make(ROOT, "d", NodeKind.DIRECTORY, NumberedClient.mode(mode))
        .getNode()
        .getAfter()
        .getObjectId();
  }

  @Test
  void untrustedSessionMayNotUseNumbersOrOtherUsers() throws WeftException {
    TestClient superuser = volume.superuser();
    refused(
        ErrorCode.UNAUTHENTICATED,
        () -> superuser.execute(new LookUpNode(ObjectId.ROOT, "", false)));
    refused(
        ErrorCode.UNAUTHENTICATED,
        () -> superuser.execute(new OpenNode(ObjectId.ROOT, false, false)));
    refused(
        ErrorCode.UNAUTHENTICATED,
        () -> superuser.execute(ANN, new GetAttributes(TestClient.path("/"))));
    superuser.mkdir("/still-there");
  }

  @Test
  void trustSurvivesARestart() throws WeftException {
    TestVolume next = volume.restarted();
    NumberedClient again = new NumberedClient(root.client().with(next), NumberedClient.ROOT);
    assertEquals(ROOT, again.look(ROOT).getObjectId());
  }

  @Test
  void trustedSessionsNonceIsUselessWithoutTheToken() throws WeftException {
    OpenSession opening = new OpenSession("gateway", List.of(), "host/1/g", 4711, 8);
    var unused = volume.execute(null, opening.proven());
    refused(ErrorCode.UNAUTHENTICATED, () -> volume.execute(null, opening));
  }

  @Test
  void newNodeBelongsToTheCallerAndItsFirstGroup() throws WeftException {
    long open = directory(0777);
    FileAttributes made =
        ann.make(open, "f", NodeKind.FILE, NumberedClient.mode(0640)).getNode().getAfter();
    assertEquals("ann", made.getOwner());
    assertEquals("makers", made.getGroup());
    assertEquals(0640, made.getMode());
    root.set(open, NumberedClient.mode(02777), OptionalLong.empty());
    FileAttributes below =
        ann.make(open, "g", NodeKind.DIRECTORY, NumberedClient.mode(0755)).getNode().getAfter();
    assertEquals(root.look(open).getGroup(), below.getGroup(), "the directory is setgid");
    assertEquals(02755, below.getMode());
  }

  @Test
  void namesTakeTheRightsOfTheDirectoryThatIsNamed() throws WeftException {
    long closed = directory(0700);
    refused(ErrorCode.PERMISSION_DENIED, () -> ann.lookUp(closed, "x"));
    refused(
        ErrorCode.PERMISSION_DENIED, () -> ann.make(closed, "x", NodeKind.FILE, NodeWish.NOTHING));
    root.set(closed, NumberedClient.mode(0755), OptionalLong.empty());
    refused(ErrorCode.NOT_FOUND, () -> ann.lookUp(closed, "x"));
    refused(
        ErrorCode.PERMISSION_DENIED, () -> ann.make(closed, "x", NodeKind.FILE, NodeWish.NOTHING));
    // Nothing above the directory that is named is looked at.
    long below =
        root.make(closed, "below", NodeKind.DIRECTORY, NumberedClient.mode(0777))
            .getNode()
            .getAfter()
            .getObjectId();
    root.set(closed, NumberedClient.mode(0), OptionalLong.empty());
    ann.make(below, "x", NodeKind.FILE, NodeWish.NOTHING);
  }

  @Test
  void onlyTheOwnerChangesANodeAndOnlyTheSuperuserChangesOwner() throws WeftException {
    long open = directory(01777);
    long file =
        ann.make(open, "f", NodeKind.FILE, NumberedClient.mode(0644))
            .getNode()
            .getAfter()
            .getObjectId();
    refused(
        ErrorCode.NOT_OWNER, () -> bob.set(file, NumberedClient.mode(0777), OptionalLong.empty()));
    refused(
        ErrorCode.NOT_OWNER,
        () -> ann.set(file, NumberedClient.owner("bob"), OptionalLong.empty()));
    refused(ErrorCode.NOT_OWNER, () -> bob.remove(open, "f", false));
    refused(ErrorCode.NOT_OWNER, () -> bob.move(open, "f", open, "g"));
    root.set(file, NumberedClient.owner("bob"), OptionalLong.empty());
    bob.remove(open, "f", false);
    refused(ErrorCode.STALE, () -> root.look(file));
  }

  @Test
  void anObjectThatSilentOsdsMayHaveIsNotCalledStale() {
    volume.silent(List.of(new OsdId(3)));
    refused(ErrorCode.UNAVAILABLE, () -> root.look(4_711_000));
    refused(
        ErrorCode.STALE,
        () ->
            new NumberedClient(volume.restarted().trustedClient("gateway"), NumberedClient.ROOT)
                .look(4_711_000));
  }

  private static long ctime(FileAttributes node) {
    return node.getCtimeMillis() * 1_000_000 + node.getCtimeNanos();
  }

  private static long mtime(FileAttributes node) {
    return node.getMtimeMillis() * 1_000_000 + node.getMtimeNanos();
  }

  @Test
  void publishingChangesTimesAndReturningTheGrantDoesNot() throws WeftException {
    TestClient writer = volume.superuser();
    Held held = Held.of(writer.create("/f"));
    writer.publish(held, 100);
    long file = held.object().value();
    FileAttributes first = root.look(file);
    volume.pass(10);
    writer.publish(held, 100);
    assertEquals(ctime(first), ctime(root.look(file)), "nothing was written");
    writer.execute(new PublishLength(held.object(), held.number(), 100, 7, false, true));
    FileAttributes second = root.look(file);
    assertTrue(ctime(second) > ctime(first) && mtime(second) > mtime(first));
    assertEquals(100, second.getSize());
    volume.pass(-60_000);
    writer.execute(new PublishLength(held.object(), held.number(), 100, 8, false, true));
    FileAttributes third = root.look(file);
    assertTrue(ctime(third) > ctime(second), "also when the clock went back");
    volume.pass(120_000 - 60_000);
    writer.execute(
        new CloseFile(
            held.object(),
            held.number(),
            100,
            8,
            false,
            false,
            Optional.of(false),
            OptionalInt.empty()));
    FileAttributes closed = root.look(file);
    assertEquals(ctime(third), ctime(closed));
    assertEquals(mtime(third), mtime(closed));
  }

  /** What the file is after lengths and changes that no record holds. */
  private FileAttributes lastTold(TestClient writer, Held held) throws WeftException {
    writer.publish(held, 100);
    writer.execute(new PublishLength(held.object(), held.number(), 100, 7, false, true));
    volume.pass(3_000);
    writer.execute(new PublishLength(held.object(), held.number(), 200, 8, false, true));
    return root.look(held.object().value());
  }

  @Test
  void nextManagerKeepsTimesToldWithoutARecord() throws WeftException {
    TestClient writer = volume.superuser();
    Held held = Held.of(writer.create("/f"));
    FileAttributes told = lastTold(writer, held);
    TestVolume next = volume.restarted();
    // Its clock is three seconds behind.
    TestClient again = writer.with(next);
    next.own(again.reclaimingPublished(next.epochs(), held.object(), 200));
    NumberedClient there = new NumberedClient(next.trustedClient("gateway"), NumberedClient.ROOT);
    FileAttributes after = there.look(held.object().value());
    assertEquals(200, after.getSize());
    assertTrue(ctime(after) >= ctime(told), told + " -> " + after);
    assertTrue(mtime(after) >= mtime(told));
  }

  @Test
  void timesNeverGoBackAfterWriterAndManagerDie() throws WeftException {
    TestClient writer = volume.superuser();
    Held held = Held.of(writer.create("/f"));
    FileAttributes told = lastTold(writer, held);
    TestVolume next = volume.restarted();
    next.own(new EndLapsedSession(writer.session()));
    next.own(new CloseSession(root.client().session()));
    next.own(new CloseSession(writer.session()));
    next.own(new FinishResolve(next.machine().resolving().get(0).number(), 200));
    NumberedClient there = new NumberedClient(next.trustedClient("gateway"), NumberedClient.ROOT);
    assertTrue(ctime(there.look(held.object().value())) > ctime(told));
  }

  @Test
  void grantCarriesTheTimeOfTheLastWrite() throws WeftException {
    TestClient writer = volume.superuser();
    Held held = Held.of(writer.create("/f"));
    writer.publish(held, 100);
    FileAttributes first = root.look(held.object().value());
    volume.pass(10);
    writer.execute(
        new CloseFile(
            held.object(),
            held.number(),
            100,
            8,
            false,
            false,
            Optional.of(true),
            OptionalInt.empty()));
    assertTrue(ctime(root.look(held.object().value())) > ctime(first));
  }
}
