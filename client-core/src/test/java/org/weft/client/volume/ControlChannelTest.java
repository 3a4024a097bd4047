package org.weft.client.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.ROOT_VOLUME;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.LengthWantedPush;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.protocol.wire.RecallPush;
import org.weft.protocol.wire.RenewSessionReply;

/** The connection on which a session is asked for something back (P 6.5). */
class ControlChannelTest {
  private static final Endpoint ELSEWHERE = new Endpoint("manager-2", 7311);
  private static final ByteString SECRET = ByteString.copyFromUtf8("sixteen secrets!");
  private static final long SESSION = 5;
  private static final long FILE = 70_000;

  private final FakeClusterWorld world = new FakeClusterWorld(2);
  private final List<RpcPeer> controls = new ArrayList<>();
  private final List<String> recalls = new ArrayList<>();
  private List<Endpoint> addresses = List.of(MANAGER);
  private RpcListener listener = listen(MANAGER);
  private int renewals;
  private boolean silent;
  private final VolumeSession session = world.session(new Directory());

  private final class Directory implements ManagerDirectory {
    @Override
    public List<Endpoint> managerAddressesOf(long volumeId) {
      return addresses;
    }

    @Override
    public CompletableFuture<ClusterTable> refresh() {
      return CompletableFuture.completedFuture(ClusterTable.getDefaultInstance());
    }

    @Override
    public void heard(long version) {}
  }

  private RpcListener listen(Endpoint where) {
    return world
        .wire
        .listen(where, ListenOptions.of(() -> Optional.of(CLUSTER), "manager", 0), new Manager())
        .toCompletableFuture()
        .join();
  }

  private final class Manager implements RpcService {
    @Override
    public void handle(InboundRequest request) {
      Opcode opcode = Opcode.of(request.opcodeNumber()).orElseThrow();
      if (opcode == Opcode.OPEN_SESSION) {
        request.reply(
            OpenSessionReply.newBuilder()
                .setSessionId(SESSION)
                .setLeaseMillis(10_000)
                .setSlots(4)
                .setSecret(SECRET)
                .build());
      } else if (!request.signedWith(SECRET.toByteArray())) {
        request.fail(ErrorCode.UNAUTHENTICATED, "this connection does not hold the session");
      } else if (opcode == Opcode.RENEW_SESSION && request.peer().control()) {
        renewals++;
        controls.remove(request.peer());
        controls.add(request.peer());
        if (!silent) {
          request.reply(RenewSessionReply.getDefaultInstance());
        }
      } else if (opcode == Opcode.RENEW_SESSION) {
        request.reply(RenewSessionReply.getDefaultInstance());
      } else {
        request.reply(Empty.getDefaultInstance());
      }
    }

    @Override
    public void disconnected(RpcPeer peer) {
      controls.remove(peer);
    }
  }

  private Runnable watch() {
    world.finish(session.open()).join();
    Runnable end =
        new GrantCalls(session).watch(FILE, (grant, range) -> recalls.add(grant + ": " + range));
    world.pass(100);
    return end;
  }

  private static RecallPush recall(long sessionId, long from, long to) {
    return RecallPush.newBuilder()
        .setVolumeId(ROOT_VOLUME)
        .setSessionId(sessionId)
        .setObjectId(FILE)
        .setGrant(9)
        .setFrom(from)
        .setTo(to)
        .build();
  }

  private void push(RecallPush recall) {
    controls.get(controls.size() - 1).push(Opcode.RECALL, recall);
    world.pass(10);
  }

  @Test
  void theChannelIsOpenWhileAFileIsShared() {
    world.finish(session.open()).join();
    world.pass(5_000);
    assertEquals(0, renewals, "no file is shared");
    Runnable end = watch();
    assertEquals(1, controls.size());
    push(recall(SESSION, 8, 16));
    push(recall(SESSION, 0, 0));
    assertEquals(List.of("9: " + new ByteRange(8, 16), "9: " + ByteRange.ALL), recalls);
    end.run();
    world.pass(2_000);
    assertEquals(List.of(), controls);
    int before = renewals;
    world.pass(5_000);
    assertEquals(before, renewals);
    watch();
    assertEquals(1, controls.size(), "it opens again");
  }

  @Test
  void foreignAndInvalidPushesAreIgnored() {
    watch();
    push(recall(SESSION + 1, 8, 16));
    push(recall(SESSION, 16, 8));
    controls.get(0).push(Opcode.RENEW_SESSION, recall(SESSION, 8, 16));
    world.pass(10);
    assertEquals(List.of(), recalls);
    push(recall(SESSION, 8, 16));
    assertEquals(1, recalls.size());
  }

  @Test
  void questionsReachTheListenerAndItIsKnownThatTheyDo() {
    List<Lsn> questions = new ArrayList<>();
    world.finish(session.open()).join();
    assertFalse(session.control().hears(SESSION));
    Runnable end =
        new GrantCalls(session)
            .watch(
                FILE,
                new ControlListener() {
                  @Override
                  public void recalled(long grant, ByteRange range) {}

                  @Override
                  public void lengthWanted(Lsn question) {
                    questions.add(question);
                  }
                });
    world.pass(100);
    assertTrue(session.control().hears(SESSION));
    assertFalse(session.control().hears(SESSION + 1));
    LengthWantedPush wanted =
        LengthWantedPush.newBuilder()
            .setVolumeId(ROOT_VOLUME)
            .setSessionId(SESSION)
            .setObjectId(FILE)
            .setQuestion(9)
            .build();
    controls.get(0).push(Opcode.LENGTH_WANTED, wanted);
    controls.get(0).push(Opcode.LENGTH_WANTED, wanted.toBuilder().setObjectId(FILE + 1).build());
    world.pass(10);
    assertEquals(List.of(new Lsn(9)), questions);
    silent = true;
    world.pass(10_000);
    assertFalse(session.control().hears(SESSION), "it is not known where a question would go");
    silent = false;
    world.pass(5_000);
    assertTrue(session.control().hears(SESSION));
    end.run();
    world.pass(2_000);
    assertFalse(session.control().hears(SESSION));
  }

  @Test
  void aConnectionThatEndsIsOpenedAgain() {
    watch();
    for (int each = 0; each < 3; each++) {
      controls.get(0).close();
      world.pass(2_000);
      assertEquals(1, controls.size());
      push(recall(SESSION, 8, 16));
    }
    assertEquals(3, recalls.size());
  }

  @Test
  void aConnectionThatLeadsNowhereIsReplaced() {
    watch();
    RpcPeer first = controls.get(0);
    silent = true;
    world.pass(4_000);
    silent = false;
    world.pass(4_000);
    assertFalse(controls.contains(first));
    push(recall(SESSION, 8, 16));
    assertEquals(1, recalls.size());
  }

  /** The manager would take the client for dead if all its connections ended at once (P 6.5). */
  @Test
  void aConnectionThatLeadsNowhereEndsAfterItsSuccessorWasAnswered() {
    watch();
    RpcPeer first = controls.get(0);
    silent = true;
    for (int waited = 0; waited < 100 && controls.size() < 2; waited++) {
      world.pass(100);
    }
    assertTrue(controls.contains(first));
    silent = false;
    world.pass(3_000);
    assertEquals(1, controls.size());
    assertFalse(controls.contains(first));
  }

  @Test
  void theChannelFollowsTheManager() {
    watch();
    listener.close();
    world.pass(3_000);
    assertEquals(List.of(), controls);
    listener = listen(ELSEWHERE);
    addresses = List.of(ELSEWHERE);
    world.pass(3_000);
    push(recall(SESSION, 8, 16));
    assertEquals(1, recalls.size());
  }

  @Test
  void theChannelEndsWithTheSession() {
    watch();
    world.finish(session.shutdown()).join();
    world.pass(100);
    assertEquals(List.of(), controls);
    int before = renewals;
    world.pass(5_000);
    assertEquals(before, renewals);
    assertTrue(before > 0);
  }
}
