package org.weft.sysmgr;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Transport;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.testkit.process.Await;

/**
 * Asks SysMgr's members over a real connection, as daemons do: one after another until one leads.
 */
public final class SysmgrClient implements AutoCloseable {
  private static final int CALL_MILLIS = 8_000;

  private final Transport transport;
  private final List<Endpoint> members;
  private final byte[] secret;
  private RpcConnection connection;
  private int next;

  public SysmgrClient(Transport transport, List<Endpoint> members, byte[] joinToken) {
    this.transport = transport;
    this.members = List.copyOf(members);
    this.secret = JoinSecret.of(joinToken);
  }

  /** One attempt at the member in turn; a failure moves on to the next. */
  public <T> T call(Opcode opcode, MessageLite body, Parser<T> parser) throws Exception {
    try {
      if (connection == null || !connection.isOpen()) {
        Endpoint member = members.get(next % members.size());
        connection =
            StageResults.get(
                transport.connect(
                    member,
                    new ConnectOptions(Optional.empty(), "test", 2_000, false, (o, b) -> {})));
      }
      return StageResults.get(
              connection.call(new RpcRequest(opcode, body, Payload.EMPTY, CALL_MILLIS, secret)))
          .parse(parser);
    } catch (WeftException e) {
      close();
      connection = null;
      next++;
      throw e;
    }
  }

  /** Tries until a member answers. */
  public <T> T persist(Opcode opcode, MessageLite body, Parser<T> parser) {
    Object[] answer = new Object[1];
    Await.until(
        opcode + " is answered",
        () -> {
          try {
            answer[0] = call(opcode, body, parser);
            return true;
          } catch (WeftException e) {
            return false;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    @SuppressWarnings("unchecked") // It was parsed as a T just above.
    T typed = (T) answer[0];
    return typed;
  }

  public static JoinRequest join(String identity, int port, long incarnation) {
    return JoinRequest.newBuilder()
        .setIdentity(identity)
        .addAddresses(AddressMessage.newBuilder().setHost("127.0.0.1").setPort(port))
        .setHost("localhost")
        .setIncarnation(incarnation)
        .setCapacityBytes(1 << 30)
        .build();
  }

  public int joinOsd(String identity, int port, long incarnation) {
    return persist(Opcode.JOIN_OSD, join(identity, port, incarnation), JoinReply.parser())
        .getNodeId();
  }

  public int joinManager(String identity, int port) {
    return persist(Opcode.JOIN_MANAGER, join(identity, port, 0), JoinReply.parser()).getNodeId();
  }

  /** Epoch of the root volume after the start of a manager. */
  public long acquire(int manager, long nonce) {
    AcquireVolumesRequest request =
        AcquireVolumesRequest.newBuilder().setManagerId(manager).setNonce(nonce).build();
    return persist(Opcode.ACQUIRE_VOLUMES, request, AcquireVolumesReply.parser())
        .getVolumes(0)
        .getVolume()
        .getEpoch();
  }

  public ClusterTable table() {
    return persist(Opcode.GET_TABLE, GetTableRequest.getDefaultInstance(), GetTableReply.parser())
        .getTable();
  }

  @Override
  public void close() {
    if (connection != null) {
      connection.close();
    }
  }
}
