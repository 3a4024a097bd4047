package org.weft.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.ROOT_VOLUME;

import com.google.protobuf.Empty;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.OneManager;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeSession;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.LengthWantedPush;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.protocol.wire.PublishRequest;
import org.weft.protocol.wire.RenewSessionReply;

/** A writer whose manager leaves the length of its file to it (P 6.5). */
class LengthAnswersTest {
  private static final long SESSION = 5;
  private static final long FILE = 70_000;
  private static final long GRANT = 9;
  private static final long EPOCH = 3;

  private final FakeClusterWorld world = new FakeClusterWorld(2);
  private final List<Long> told = new ArrayList<>();
  private RpcPeer control;
  private Lsn keptAsOf = Lsn.of(EPOCH, 1);
  private boolean mayKeep;
  private boolean silent;
  private final VolumeSession session = world.session(new OneManager());
  private final HeldGrant grant =
      new HeldGrant(
          new VolumeCalls(session),
          new SessionGrant("/f", SESSION, FILE, GRANT),
          next -> {
            throw new AssertionError("it is not replaced");
          },
          Optional.empty());

  private final class Manager implements RpcService {
    @Override
    public void handle(InboundRequest request) {
      switch (Opcode.of(request.opcodeNumber()).orElseThrow()) {
        case OPEN_SESSION ->
            request.reply(
                OpenSessionReply.newBuilder()
                    .setSessionId(SESSION)
                    .setLeaseMillis(10_000)
                    .setSlots(4)
                    .setEpoch(EPOCH)
                    .build());
        case RENEW_SESSION -> {
          control = request.peer().control() ? request.peer() : control;
          if (!silent || !request.peer().control()) {
            request.reply(RenewSessionReply.newBuilder().setEpoch(EPOCH).build());
          }
        }
        case PUBLISH -> {
          try {
            PublishRequest publish = request.parse(PublishRequest.parser());
            told.add(publish.getSize());
            mayKeep = publish.getMayKeep();
            Lsn answer = mayKeep ? keptAsOf : Lsn.ZERO;
            request.reply(AttributesReply.newBuilder().setKeptAsOf(answer.value()).build());
          } catch (WeftException e) {
            throw new AssertionError(e);
          }
        }
        default -> request.reply(Empty.getDefaultInstance());
      }
    }

    @Override
    public void disconnected(RpcPeer peer) {}
  }

  @BeforeEach
  void aSession() {
    world
        .wire
        .listen(MANAGER, ListenOptions.of(() -> Optional.of(CLUSTER), "manager", 0), new Manager())
        .toCompletableFuture()
        .join();
    world.finish(session.open()).join();
  }

  private void publish(long sizeBytes) {
    publish(sizeBytes, true);
  }

  private void publish(long sizeBytes, boolean fresh) {
    CompletePoint complete = new CompletePoint(GRANT, 1);
    world.finish(grant.publish(new FileSink.Written(sizeBytes, complete, fresh))).join();
  }

  private void keepFrom(long sizeBytes) {
    publish(sizeBytes);
    publish(sizeBytes + 1);
    world.pass(100);
    publish(sizeBytes + 2);
    assertTrue(mayKeep);
    told.clear();
  }

  private void ask(Lsn question) {
    control.push(
        Opcode.LENGTH_WANTED,
        LengthWantedPush.newBuilder()
            .setVolumeId(ROOT_VOLUME)
            .setSessionId(SESSION)
            .setObjectId(FILE)
            .setQuestion(question.value())
            .build());
    world.pass(10);
  }

  /** One flush of one file opens no connection. */
  @Test
  void aWriterThatPublishesAgainAndAgainCanBeAsked() {
    publish(100);
    world.pass(100);
    assertEquals(null, control);
    publish(200);
    assertFalse(mayKeep, "nothing was heard on the connection yet");
    world.pass(100);
    publish(300);
    assertTrue(mayKeep);
    assertEquals(List.of(100L, 200L, 300L), told);
  }

  @Test
  void aKeptLengthIsToldFromTheManagersFirstQuestionOn() {
    keepFrom(100);
    publish(200);
    publish(300);
    assertEquals(List.of(), told);
    keptAsOf = Lsn.ZERO;
    ask(Lsn.of(EPOCH, 2));
    assertEquals(List.of(300L), told);
    publish(400);
    assertEquals(List.of(300L, 400L), told);
    keptAsOf = Lsn.of(EPOCH, 2);
    publish(500);
    publish(600);
    assertEquals(List.of(300L, 400L, 500L), told);
  }

  /** Or listings would show nothing of it for ever. */
  @Test
  void aKeptLengthIsToldWithinASecond() {
    keepFrom(100);
    publish(200);
    publish(300);
    world.pass(1_100);
    assertEquals(List.of(300L), told);
    world.pass(5_000);
    assertEquals(List.of(300L), told, "nothing has been written since");
    publish(400);
    assertEquals(List.of(300L), told, "it may go on keeping");
    world.pass(1_100);
    assertEquals(List.of(300L, 400L), told);
  }

  /** The grant may have ended since its last write was acknowledged. */
  @Test
  void aDoubtfulLengthIsToldAtOnce() {
    keepFrom(100);
    publish(200);
    publish(300, false);
    assertEquals(List.of(300L), told);
  }

  /** The manager would take it for gone. */
  @Test
  void aWriterThatCannotBeAskedTells() {
    keepFrom(100);
    publish(200);
    silent = true;
    world.pass(10_000);
    assertEquals(List.of(200L), told.subList(0, 1));
    told.clear();
    publish(300);
    publish(400);
    assertEquals(List.of(300L, 400L), told);
    assertFalse(mayKeep);
  }

  @Test
  void aGrantThatWasGivenBackAnswersNothing() {
    keepFrom(100);
    publish(200);
    world.finish(grant.abandon()).join();
    world.pass(5_000);
    ask(Lsn.of(EPOCH, 2));
    assertEquals(List.of(), told);
  }
}
