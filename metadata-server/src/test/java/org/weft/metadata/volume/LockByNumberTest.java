package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.journal.LockKeeping;
import org.weft.metadata.volume.operation.lock.LockRange;
import org.weft.metadata.volume.operation.lock.UnlockRange;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.path.LockTarget;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.LockRangeReply;

/** Locks on files by their numbers, on behalf of others (P 6.5a, 6.5c). */
class LockByNumberTest {
  private static final Credentials ANN = new Credentials("ann", List.of("ann"), false);
  private static final Credentials BOB = new Credentials("bob", List.of("bob"), false);
  private static final ByteString OWNER = ByteString.copyFromUtf8("nfs:host:1:x");
  private static final ByteRange RANGE = new ByteRange(0, 10);
  private static final LockKeeping KEEPING =
      new LockKeeping(45_000, ByteString.copyFromUtf8("0123456789abcdef"));

  private TestVolume volume;
  private TestClient gateway;
  private ObjectId file;

  @BeforeEach
  void aFileOfAnn() throws WeftException {
    volume = TestVolume.formatted(3);
    gateway = volume.trustedClient("gateway", KEEPING);
    NumberedClient root = new NumberedClient(gateway, NumberedClient.ROOT);
    root.set(ObjectId.ROOT.value(), NumberedClient.mode(0777), OptionalLong.empty());
    file =
        new ObjectId(
            root.as(ANN)
                .make(ObjectId.ROOT.value(), "f", NodeKind.FILE, NumberedClient.mode(0444))
                .getNode()
                .getAfter()
                .getObjectId());
  }

  private LockRange lock(boolean exclusive, boolean reclaim) {
    return new LockRange(new LockTarget.ByNumber(file), OWNER, RANGE, exclusive, 0, false, reclaim);
  }

  private static LockRangeReply ask(TestClient client, Credentials credentials, LockRange lock)
      throws WeftException {
    try {
      return LockRangeReply.parseFrom(client.execute(credentials, lock).reply().toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private void refused(
      ErrorCode expected, TestClient client, Credentials credentials, LockRange lock) {
    assertEquals(
        expected, assertThrows(WeftException.class, () -> ask(client, credentials, lock)).code());
  }

  @Test
  void theRightsOfTheUserCountAndTheOwnerAlwaysMay() throws WeftException {
    assertEquals(
        LockRangeReply.Outcome.GRANTED, ask(gateway, BOB, lock(false, false)).getOutcome());
    refused(ErrorCode.PERMISSION_DENIED, gateway, BOB, lock(true, false));
    assertEquals(LockRangeReply.Outcome.GRANTED, ask(gateway, ANN, lock(true, false)).getOutcome());
  }

  @Test
  void untrustedSessionMayNotLockByNumber() throws WeftException {
    TestClient superuser = volume.superuser();
    assertEquals(
        ErrorCode.UNAUTHENTICATED,
        assertThrows(WeftException.class, () -> superuser.execute(lock(false, false))).code());
  }

  @Test
  void aFileThatIsGoneIsStale() {
    file = new ObjectId(99_999);
    refused(ErrorCode.STALE, gateway, ANN, lock(false, false));
  }

  @Test
  void nextSessionReclaimsLocksOfAllItsOwners() throws WeftException {
    ask(gateway, ANN, lock(true, false));
    TestClient next = volume.trustedClient("gateway", KEEPING);
    assertEquals(LockRangeReply.Outcome.HELD, ask(next, ANN, lock(true, true)).getOutcome());
    volume.own(new CloseSession(gateway.session()));
    TestClient other =
        volume.trustedClient(
            "gateway", new LockKeeping(45_000, ByteString.copyFromUtf8("another-key-of-16")));
    assertEquals(LockRangeReply.Outcome.HELD, ask(other, ANN, lock(true, true)).getOutcome());
    assertEquals(LockRangeReply.Outcome.HELD, ask(next, ANN, lock(true, false)).getOutcome());
    assertTrue(ask(next, ANN, lock(true, true)).getReclaimed());
  }

  private LockRange takeOver() {
    return new LockRange(
        new LockTarget.ByNumber(file),
        OWNER,
        RANGE,
        true,
        0,
        false,
        true,
        true,
        true,
        LockSpace.BYTES);
  }

  /** Rule 6.5f: the owner's client has come from one gateway to another. */
  @Test
  void ownerTakesItsLocksToAnotherGateway() throws WeftException {
    ask(gateway, ANN, lock(true, false));
    TestClient next = volume.trustedClient("gateway", KEEPING);
    TestClient stranger =
        volume.trustedClient(
            "gateway", new LockKeeping(45_000, ByteString.copyFromUtf8("another-key-of-16")));
    assertEquals(LockRangeReply.Outcome.HELD, ask(stranger, ANN, takeOver()).getOutcome());
    assertTrue(ask(next, ANN, takeOver()).getReclaimed());
    assertFalse(gateway.unlock(new UnlockRange(file, OWNER, RANGE)), "it has nothing any more");
    assertEquals(LockRangeReply.Outcome.HELD, ask(stranger, ANN, lock(true, false)).getOutcome());
    assertTrue(next.unlock(new UnlockRange(file, OWNER, RANGE)));
    assertEquals(
        LockRangeReply.Outcome.GRANTED, ask(stranger, ANN, lock(true, false)).getOutcome());
  }

  @Test
  void aGatewayThatTakesOverWhatWasNotLockedHears() throws WeftException {
    TestClient next = volume.trustedClient("gateway", KEEPING);
    LockRangeReply reply = ask(next, ANN, takeOver());
    assertEquals(LockRangeReply.Outcome.GRANTED, reply.getOutcome());
    assertFalse(reply.getReclaimed());
  }

  /** Its gateway may die before it has unlocked anything: what is kept then was held. */
  @Test
  void takeOverDoesNotLockUnlockedBytes() throws WeftException {
    ask(gateway, ANN, lock(true, false));
    TestClient next = volume.trustedClient("gateway", KEEPING);
    LockRange more =
        new LockRange(
            new LockTarget.ByNumber(file),
            OWNER,
            new ByteRange(0, 20),
            true,
            0,
            false,
            true,
            true,
            true,
            LockSpace.BYTES);
    assertFalse(ask(next, ANN, more).getReclaimed());
    assertFalse(gateway.unlock(new UnlockRange(file, OWNER, RANGE)), "it has come to the next one");
    volume.own(new CloseSession(next.session()));
    TestClient last = volume.trustedClient("gateway", KEEPING);
    assertFalse(ask(last, ANN, more).getReclaimed(), "asked again");
    assertTrue(ask(last, ANN, takeOver()).getReclaimed(), "what it had all the time");
    LockRange rest =
        new LockRange(
            new LockTarget.ByNumber(file), OWNER, new ByteRange(10, 20), true, 0, false, false);
    TestClient stranger =
        volume.trustedClient(
            "gateway", new LockKeeping(45_000, ByteString.copyFromUtf8("another-key-of-16")));
    assertEquals(LockRangeReply.Outcome.GRANTED, ask(stranger, ANN, rest).getOutcome());
  }

  /** The session may end before the client has heard that it had not held it. */
  @Test
  void reclaimDoesNotRestoreALapsedLock() throws WeftException {
    ask(gateway, ANN, lock(true, false));
    volume.own(new CloseSession(gateway.session()));
    LockRange more =
        new LockRange(
            new LockTarget.ByNumber(file),
            OWNER,
            new ByteRange(0, 20),
            true,
            0,
            false,
            true,
            false,
            true,
            LockSpace.BYTES);
    TestClient next = volume.trustedClient("gateway", KEEPING);
    assertFalse(ask(next, ANN, more).getReclaimed());
    volume.own(new CloseSession(next.session()));
    TestClient last = volume.trustedClient("gateway", KEEPING);
    assertFalse(ask(last, ANN, more).getReclaimed(), "asked again");
    assertTrue(ask(last, ANN, lock(true, true)).getReclaimed(), "what it had all the time");
  }

  /** It goes on as holder of what it reclaimed, whatever it is told. */
  @Test
  void aClientOfAnEarlierReleaseHoldsWhatItReclaims() throws WeftException {
    ask(gateway, ANN, lock(true, false));
    volume.own(new CloseSession(gateway.session()));
    ByteRange wider = new ByteRange(RANGE.from(), RANGE.to() + 10);
    LockRange reclaim =
        new LockRange(new LockTarget.ByNumber(file), OWNER, wider, true, 0, false, true);
    TestClient next = volume.trustedClient("gateway", KEEPING);
    LockRangeReply reply = ask(next, ANN, reclaim);
    assertEquals(LockRangeReply.Outcome.GRANTED, reply.getOutcome());
    assertFalse(reply.getReclaimed());
    TestClient other = volume.trustedClient("other");
    LockRange rest =
        new LockRange(
            new LockTarget.ByNumber(file),
            ByteString.copyFromUtf8("bob"),
            new ByteRange(RANGE.to(), RANGE.to() + 10),
            true,
            0,
            false,
            false);
    assertEquals(LockRangeReply.Outcome.HELD, ask(other, ANN, rest).getOutcome());
  }
}
