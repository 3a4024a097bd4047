package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.SessionOpened;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.metadata.volume.operation.session.RefuseStranger;
import org.weft.metadata.volume.operation.volume.DrawHandleKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.protocol.wire.ReaddirReply;

/** A session is its holder's, and a node is reached by a path or a handle (P 6.5). */
class SessionSecretTest {
  private final TestVolume volume = TestVolume.formatted(7);

  private static OpenSession opening(long nonce) {
    return new OpenSession("ada", List.of("makers"), "host/1/ada", nonce, 4);
  }

  private static OpenSessionReply open(TestVolume at, long nonce) throws WeftException {
    try {
      return OpenSessionReply.parseFrom(at.execute(null, opening(nonce)).reply().toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static Predicate<byte[]> signedWith(OpenSessionReply held) {
    return secret -> Arrays.equals(secret, held.getSecret().toByteArray());
  }

  private static SessionId session(OpenSessionReply opened) {
    return new SessionId(opened.getSessionId());
  }

  private static ErrorCode refused(TestVolume at, Operation operation) {
    return assertThrows(WeftException.class, () -> at.execute(null, operation)).code();
  }

  @Test
  void onlyTheSecretsHolderIsTheSession() throws WeftException {
    OpenSessionReply ada = open(volume, 1);
    OpenSessionReply eve = open(volume, 2);
    assertEquals(16, ada.getSecret().size());
    assertNotEquals(ada.getSecret(), eve.getSecret());
    var secrets = volume.machine().sessionSecrets();
    assertTrue(secrets.isHolder(session(ada), signedWith(ada)));
    assertFalse(secrets.isHolder(session(ada), signedWith(eve)));
    assertFalse(secrets.isHolder(new SessionId(99), secret -> true));
    volume.own(new CloseSession(session(ada)));
    assertFalse(secrets.isHolder(session(ada), signedWith(ada)));
  }

  @Test
  void aStrangersRequestsDoNotKeepASessionAlive() throws WeftException {
    OpenSessionReply ada = open(volume, 1);
    RefuseStranger attack = new RefuseStranger(session(ada), secret -> false);
    for (int second = 0; second < SessionTable.LEASE_MILLIS / 1_000; second++) {
      assertEquals(ErrorCode.UNAUTHENTICATED, refused(volume, attack));
      volume.pass(1_000);
    }
    volume.tick();
    assertFalse(volume.machine().hasSession(session(ada)));
    assertEquals(ErrorCode.SESSION_EXPIRED, refused(volume, attack));
  }

  @Test
  void secretsSurviveARestartAndASnapshot() throws WeftException {
    OpenSessionReply ada = open(volume, 1);
    TestVolume restarted = volume.restarted();
    TestVolume fromSnapshot = TestVolume.recovered(7, volume.machine().snapshot(), List.of());
    for (TestVolume next : List.of(restarted, fromSnapshot)) {
      assertTrue(next.machine().sessionSecrets().isHolder(session(ada), signedWith(ada)));
      assertFalse(next.machine().sessionSecrets().isHolder(session(ada), secret -> false));
      assertEquals(volume.handle(70_000), next.handle(70_000));
    }
  }

  /** The first answer may have been lost with the manager before (P 6.5). */
  @Test
  void secretIsRepeatedAfterARestartUntilTheClientSigns() throws WeftException {
    OpenSessionReply ada = open(volume, 1);
    assertTrue(volume.machine().sessionSecrets().isHolder(session(ada), signedWith(ada)));
    assertEquals(ErrorCode.UNAUTHENTICATED, refused(volume, opening(1)));
    TestVolume next = volume.restarted();
    assertEquals(ada.getSecret(), open(next, 1).getSecret());
    assertTrue(next.machine().sessionSecrets().isHolder(session(ada), signedWith(ada)));
    assertEquals(ErrorCode.UNAUTHENTICATED, refused(next, opening(1)));
  }

  @Test
  void requestBeforeItsSessionIsKnownAgainIsRepeated() throws WeftException {
    OpenSessionReply ada = open(volume, 1);
    assertEquals(
        ErrorCode.NOT_SERVING, refused(volume, new RefuseStranger(session(ada), signedWith(ada))));
  }

  @Test
  void aSessionOfAnEarlierReleaseHasEndedForItsClient() throws WeftException {
    List<LiveEffect> old =
        volume.machine().snapshot().stream()
            .filter(effect -> !(effect instanceof SessionOpened))
            .toList();
    SessionOpened session =
        new SessionOpened(
            new SessionId(5), "ada", List.of(), "host/1/ada", 1, 4, 0, Optional.empty());
    TestVolume next =
        TestVolume.recovered(
            9, Stream.concat(old.stream(), Stream.of(session)).toList(), List.of());
    assertFalse(next.machine().sessionSecrets().isHolder(new SessionId(5), secret -> true));
    assertEquals(
        ErrorCode.SESSION_EXPIRED,
        refused(next, new RefuseStranger(new SessionId(5), secret -> true)));
    // A repeat of the opening begins a session that has a secret.
    assertEquals(16, open(next, 1).getSecret().size());
  }

  @Test
  void aVolumeOfAnEarlierReleaseGetsAKeyForHandlesOnce() {
    List<LiveEffect> old =
        List.of(new LiveEffect.VolumeCreated(TestVolume.VOLUME, 3, 0, Optional.empty()));
    TestVolume next = TestVolume.recovered(9, old, List.of());
    next.own(new DrawHandleKey());
    var handle = next.handle(70_000);
    next.own(new DrawHandleKey());
    assertEquals(handle, next.handle(70_000));
    assertEquals(handle, next.restarted().handle(70_000));
    assertEquals(new ObjectId(70_000), handle.object());
  }

  @Test
  void secretsAppearInNoText() throws WeftException {
    OpenSessionReply ada = open(volume, 0x1122334455667788L);
    String secret = HexFormat.of().formatHex(ada.getSecret().toByteArray());
    String nonce = Long.toString(0x1122334455667788L);
    String texts =
        volume.machine().snapshot() + " " + volume.records() + opening(0x1122334455667788L);
    assertTrue(texts.contains("ada"), texts);
    assertFalse(texts.contains(secret), texts);
    assertFalse(texts.contains(Arrays.toString(ada.getSecret().toByteArray())), texts);
    assertFalse(texts.contains(nonce), texts);
  }

  @Test
  void handlesOfAListingTakeTheRightToSearch() throws WeftException {
    TestClient weft = volume.superuser();
    weft.mkdir("/d", 0744, 0, false);
    weft.write("/d/f", 3);
    TestClient ada = volume.client("ada");
    assertEquals(List.of("f"), ada.names("/d"));
    ReadDirectory listing = new ReadDirectory(TestClient.path("/d"), 0, 10, true, true);
    assertEquals(
        ErrorCode.PERMISSION_DENIED,
        assertThrows(WeftException.class, () -> ada.execute(listing)).code());
    var reply = TestClient.parse(ReaddirReply.parser(), weft.execute(listing));
    long object = reply.getEntries(0).getObjectId();
    assertEquals(volume.handle(object).encode(), reply.getEntries(0).getHandle());
  }
}
