package org.weft.it.attack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.attack.AttackedManager.Wire;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.protocol.wire.ReclaimedFile;
import org.weft.protocol.wire.RenewSessionRequest;

/** A session belongs to the client that was given its secret, and a file's number opens nothing. */
class StrangerTest {
  private static final int SECONDS = 20;

  @TempDir Path folder;
  private AttackedManager manager;
  private RawSession weft;

  @BeforeEach
  void aManagerThatServes() throws Exception {
    manager = new AttackedManager(folder);
    weft = RawSession.open(manager.wire(), "weft", 1);
    var unused = weft.chmod("", 0777);
  }

  @AfterEach
  void end() throws Exception {
    manager.close();
  }

  private static String refused(ErrorCode code, Executable attack) {
    WeftException refusal = assertThrows(WeftException.class, attack);
    assertEquals(code, refusal.code(), refusal.getMessage());
    return refusal.getMessage();
  }

  @Test
  void aSessionsNumberIsWorthNothingOnAnotherConnection() throws Exception {
    RawSession ada = RawSession.open(manager.wire(), "ada", 2);
    var unused = ada.mkdir("private", 0700);
    Wire elsewhere = manager.wire();
    RawSession eve = RawSession.open(elsewhere, "eve", 3);
    List<byte[]> secrets = new ArrayList<>();
    secrets.add(null);
    secrets.add(new byte[16]);
    secrets.add(eve.secret());
    for (byte[] secret : secrets) {
      RawSession stolen = new RawSession(elsewhere, ada.id(), secret).farAhead();
      String said = refused(ErrorCode.UNAUTHENTICATED, () -> stolen.stat(RawSession.at("private")));
      assertTrue(said.contains("does not hold session " + ada.id()), said);
      refused(ErrorCode.UNAUTHENTICATED, () -> stolen.mkdir("private/eves", 0700));
      refused(ErrorCode.UNAUTHENTICATED, stolen::renew);
      refused(ErrorCode.UNAUTHENTICATED, stolen::close);
    }
    // Neither its slots nor its life have suffered.
    assertEquals("ada", ada.stat(RawSession.at("private")).getAttributes().getOwner());
    refused(ErrorCode.NOT_FOUND, () -> ada.stat(RawSession.at("private/eves")));
    var renewed = ada.over(manager.wire()).renew();
    assertTrue(renewed.getLeaseMillis() > 0);
  }

  @Test
  void aSessionThatIsNotThereHasEndedForEveryClient() throws Exception {
    Wire elsewhere = manager.wire();
    for (long number : List.of(0L, 77L, -1L)) {
      RawSession guessed = new RawSession(elsewhere, number, null);
      refused(ErrorCode.SESSION_EXPIRED, () -> guessed.stat(RawSession.at("")));
      refused(ErrorCode.SESSION_EXPIRED, guessed::renew);
      refused(ErrorCode.SESSION_EXPIRED, guessed::close);
    }
  }

  @Test
  void secretIsRepeatedOnlyUntilTheSessionIsUsed() throws Exception {
    Wire wire = manager.wire();
    OpenSessionReply first = RawSession.opened(wire, "ada", 40);
    OpenSessionReply retry = RawSession.opened(manager.wire(), "ada", 40);
    assertEquals(first, retry, "an answer may be lost");
    refused(ErrorCode.INVALID_ARGUMENT, () -> RawSession.opened(manager.wire(), "eve", 40));
    RawSession ada = new RawSession(wire, first.getSessionId(), first.getSecret().toByteArray());
    var unused = ada.stat(RawSession.at(""));
    refused(ErrorCode.UNAUTHENTICATED, () -> RawSession.opened(manager.wire(), "ada", 40));
  }

  @Test
  void aFrameThatWasCapturedIsWorthNothingOnAnotherConnection() throws Exception {
    try (Recorder line = Recorder.before(manager.address())) {
      RawSession ada = RawSession.open(manager.wire(), "ada", 5);
      manager.wire(line.address()).connection().close();
      String refusal = "does not hold session " + ada.id();
      String answers = line.replay(closing(ada, new byte[FrameMac.NONCE_BYTES]), refusal);
      assertTrue(answers.contains(refusal), answers);
      assertTrue(ada.renew().getLeaseMillis() > 0, "it was not closed");
    }
  }

  /** A frame that ends a session, signed by its holder for the connection with that nonce. */
  private static byte[] closing(RawSession session, byte[] nonce) {
    byte[] body = session.closing().toByteArray();
    FrameHeader header =
        new FrameHeader(
            FrameKind.REQUEST, Opcode.CLOSE_SESSION.number(), 0, 9, 9, 10_000, body.length, 0);
    ByteBuffer frame = ByteBuffer.allocate(FrameHeader.BYTES + body.length);
    header.encode(frame);
    frame.put(body).flip();
    byte[] mac = FrameMac.ofFrame(session.secret(), nonce, frame, ByteBuffer.wrap(body));
    frame.put(FrameHeader.MAC_OFFSET, mac);
    return frame.array();
  }

  @Test
  void aControlConnectionBelongsToTheSessionsHolder() throws Exception {
    BlockingQueue<Integer> heardByAda = new LinkedBlockingQueue<>();
    BlockingQueue<Integer> heardByEve = new LinkedBlockingQueue<>();
    RawSession ada = RawSession.open(manager.wire(), "weft", 7);
    RawSession bob = RawSession.open(manager.wire(), "weft", 8);
    var made = ada.create("shared", 0666);
    assertEquals("weft", made.getAttributes().getOwner());
    OpenReply adas = ada.openShared("shared");
    OpenReply bobs = bob.openShared("shared");
    var owned = ada.acquire(adas);
    assertEquals(0, owned.getFrom());
    var renewed = ada.over(manager.controlWire((opcode, body) -> heardByAda.add(opcode))).renew();
    assertTrue(renewed.getLeaseMillis() > 0);
    Wire evesControl = manager.controlWire((opcode, body) -> heardByEve.add(opcode));
    refused(ErrorCode.UNAUTHENTICATED, () -> new RawSession(evesControl, ada.id(), null).renew());
    refused(ErrorCode.BUSY, () -> bob.acquire(bobs));
    assertEquals(Opcode.RECALL.number(), heardByAda.poll(SECONDS, TimeUnit.SECONDS));
    assertTrue(heardByEve.isEmpty(), "a stranger hears what is asked of a session");
  }

  @Test
  void aNumberOpensNothingBelowADirectoryThatLetsNoUserPass() throws Exception {
    RawSession ada = RawSession.open(manager.wire(), "ada", 9);
    var unused = ada.mkdir("private", 0755);
    CreateReply made = ada.create("private/open", 0644);
    long number = made.getAttributes().getObjectId();
    RawSession friend = RawSession.open(manager.wire(), "friend", 10);
    ByteString handle = friend.stat(RawSession.at("private/open")).getHandle();
    assertEquals(handle, made.getHandle(), "a file has one handle");
    assertEquals(32, handle.size());
    unused = ada.chmod("private", 0700);

    RawSession eve = RawSession.open(manager.wire(), "eve", 11);
    refused(ErrorCode.PERMISSION_DENIED, () -> eve.stat(RawSession.at("private/open")));
    for (long guess = number - 2; guess <= number + 2; guess++) {
      long tried = guess;
      refused(ErrorCode.PERMISSION_DENIED, () -> eve.read(RawSession.by(tried, ByteString.EMPTY)));
      refused(ErrorCode.PERMISSION_DENIED, () -> eve.stat(RawSession.by(tried, ByteString.EMPTY)));
    }
    for (int at = 0; at < handle.size(); at++) {
      byte[] forged = handle.toByteArray();
      forged[at] ^= 1;
      WeftException refusal =
          assertThrows(
              WeftException.class, () -> eve.read(RawSession.by(0, ByteString.copyFrom(forged))));
      assertEquals(ErrorCode.HANDLE_INVALID, refusal.code(), "byte " + at);
    }
    // A client that came to the file by a path goes on, as with a file descriptor; the file's own
    // mode holds.
    assertEquals(number, friend.read(RawSession.by(0, handle)).getAttributes().getObjectId());
    unused = ada.chmod("private/open", 0600);
    refused(ErrorCode.PERMISSION_DENIED, () -> friend.read(RawSession.by(0, handle)));
  }

  @Test
  void secretsAndHandlesOutliveTheManager() throws Exception {
    RawSession ada = RawSession.open(manager.wire(), "ada", 12);
    var made = ada.create("f", 0600);
    OpenReply opened = ada.read(RawSession.at("f"));
    manager.restart();
    RawSession again = ada.over(manager.wire());
    refused(
        ErrorCode.UNAUTHENTICATED, () -> new RawSession(manager.wire(), ada.id(), null).renew());
    long epoch = again.renew().getEpoch();
    RenewSessionRequest.Builder reclaim = RenewSessionRequest.newBuilder().setReclaimEpoch(epoch);
    ReclaimedFile file =
        ReclaimedFile.newBuilder().setObjectId(made.getAttributes().getObjectId()).build();
    ReclaimedFile forged = file.toBuilder().setHandle(ByteString.copyFrom(new byte[32])).build();
    refused(ErrorCode.HANDLE_INVALID, () -> again.renew(reclaim.clone().addOpen(file)));
    refused(ErrorCode.HANDLE_INVALID, () -> again.renew(reclaim.clone().addOpen(forged)));
    var answered =
        again.renew(
            reclaim
                .clone()
                .addOpen(file.toBuilder().setHandle(opened.getHandle()))
                .setReclaim(true));
    assertEquals(epoch, answered.getEpoch());
    OpenReply reopened = again.read(RawSession.by(0, opened.getHandle()));
    assertArrayEquals(made.getHandle().toByteArray(), reopened.getHandle().toByteArray());
  }
}
