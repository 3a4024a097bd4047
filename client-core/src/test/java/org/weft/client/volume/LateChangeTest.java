package org.weft.client.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.ROOT_VOLUME;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.RequestOrigin;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesWish;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeReply;

/**
 * A gateway that froze reads a change from its socket when its session is long gone. Its client has
 * repeated the change through another gateway by then, and gone on (P 6.5c.6.8).
 */
class LateChangeTest {
  private static final OnBehalfOf ANN = new OnBehalfOf("ann", List.of("staff"), false);
  private static final RequestBy XID_7 =
      new RequestBy(
          ANN,
          Optional.of(
              new RequestOrigin(
                  ByteString.copyFrom(new byte[] {10, 0, 0, 7}),
                  7,
                  1,
                  ByteString.copyFrom(new byte[RequestOrigin.DIGEST_BYTES]))));

  private final FakeClusterWorld world = new FakeClusterWorld(2);
  private final FakeManager manager =
      new FakeManager(CLUSTER, 10_000, 2, LateChangeTest::answer).sparingSessions();
  private final NumberCalls frozen = gateway("frozen");
  private final NumberCalls next = gateway("next");

  private NumberCalls gateway(String name) {
    VolumeSession session =
        new VolumeSession(
            SessionOptions.of(ROOT_VOLUME, "gateway", List.of("gateway"), name),
            CLUSTER,
            new OneManager(),
            world.environment,
            world.home);
    manager.startAt(world.wire, MANAGER);
    world.finish(session.open()).join();
    return new VolumeCalls(session).numbered();
  }

  private static final class OneManager implements ManagerDirectory {
    @Override
    public List<Endpoint> managerAddressesOf(long volumeId) {
      return List.of(MANAGER);
    }

    @Override
    public CompletableFuture<ClusterTable> refresh() {
      return CompletableFuture.completedFuture(ClusterTable.getDefaultInstance());
    }

    @Override
    public void heard(long version) {}
  }

  private static MessageLite answer(Opcode opcode, MessageLite request) throws WeftException {
    if (opcode == Opcode.FIND_FIRST_ANSWER) {
      throw new WeftException(ErrorCode.NOT_FOUND, "no first answer is known");
    }
    return NodeReply.newBuilder().setRights(5).build();
  }

  private CompletableFuture<NodeReply> remove(NumberCalls through) {
    return world.finish(through.remove(XID_7, ObjectId.ROOT, "f", false));
  }

  private static void assertDoubtful(CompletableFuture<?> asked) {
    ExecutionException failure = assertThrows(ExecutionException.class, asked::get);
    assertEquals(ErrorCode.SESSION_EXPIRED, WeftException.of(failure).code());
  }

  @Test
  void aLateChangeGetsTheFirstAnswer() {
    remove(next).join();
    manager.expireSessions();
    assertEquals(5, remove(frozen).join().getRights());
    assertEquals(List.of("REMOVE_NAME f"), manager.executions());
  }

  @Test
  void aForgottenLateChangeIsNotCarriedOut() {
    remove(next).join();
    manager.expireSessions();
    manager.forgetFirstAnswers();
    assertDoubtful(remove(frozen));
    assertEquals(List.of("REMOVE_NAME f"), manager.executions());
  }

  /** The record of such a change does not say whether the length was set. */
  @Test
  void aLateLengthIsNotSet() {
    AttributesWish cut = AttributesWish.newBuilder().setSize(0).build();
    manager.expireSessions();
    assertDoubtful(
        world.finish(frozen.set(XID_7, new ObjectId(70_000), cut, OptionalLong.empty())));
    assertEquals(List.of(), manager.executions());
  }

  /** It is no program's: nothing else can have asked for it. */
  @Test
  void aChangeWithoutAnOriginIsCarriedOutInTheNextSession() {
    manager.expireSessions();
    world.finish(frozen.remove(RequestBy.caller(ANN), ObjectId.ROOT, "f", false)).join();
    assertEquals(List.of("REMOVE_NAME f"), manager.executions());
  }
}
