package org.weft.client.fake;

import com.google.protobuf.MessageLite;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcException;

/** A daemon as a test scripts it: it executes requests, unless a fault comes first. */
public abstract class FakePeer {
  /** What happens to one request instead of the usual. */
  public enum Fault {
    /** The connection ends before the request is executed. */
    LOSE_REQUEST,
    /** The request is executed, then the connection ends. */
    LOSE_REPLY,
    /** The request is executed, and nothing comes back. */
    SWALLOW_REPLY,
    /** Refused with NOT_SERVING. */
    NOT_SERVING,
    /** Refused with OVERLOADED. */
    OVERLOADED
  }

  private final ClusterId clusterId;
  private final List<FakeConnection> connections = new ArrayList<>();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final List<Opcode> received = new ArrayList<>();
  private boolean up = true;
  private boolean mute;

  protected FakePeer(ClusterId clusterId) {
    this.clusterId = clusterId;
  }

  /** Executes a request and says how it is answered. */
  protected abstract MessageLite execute(Opcode opcode, byte[] body) throws Exception;

  /** Which requests faults apply to. */
  protected boolean faulty(Opcode opcode) {
    return true;
  }

  ClusterId clusterId() {
    return clusterId;
  }

  public boolean isUp() {
    return up;
  }

  /** The next requests meet these faults, one each. */
  public void next(Fault... coming) {
    faults.addAll(List.of(coming));
  }

  /** Faults that no request has met yet. */
  public int faultsToCome() {
    return faults.size();
  }

  /** True: nothing is executed or answered any more. */
  public void mute(boolean silent) {
    mute = silent;
  }

  /** Every request that arrived, in order. */
  public List<Opcode> received() {
    return received;
  }

  /** Ends all connections; connects fail until {@link #start}. */
  public void stop() {
    up = false;
    List.copyOf(connections).forEach(FakeConnection::close);
  }

  public void start() {
    up = true;
  }

  FakeConnection accept(VirtualTime time, Endpoint remote) {
    FakeConnection connection = new FakeConnection(time, remote, this);
    connections.add(connection);
    return connection;
  }

  void forget(FakeConnection connection) {
    connections.remove(connection);
  }

  void deliver(Opcode opcode, byte[] body, FakeConnection.Responder responder) {
    received.add(opcode);
    if (mute) {
      return;
    }
    Fault fault = faulty(opcode) ? faults.poll() : null;
    if (fault == Fault.LOSE_REQUEST) {
      responder.cut();
    } else if (fault == Fault.NOT_SERVING || fault == Fault.OVERLOADED) {
      responder.fail(new RpcException(ErrorCode.valueOf(fault.name()), "not now: " + fault));
    } else {
      answer(fault, opcode, body, responder);
    }
  }

  private void answer(
      Fault fault, Opcode opcode, byte[] body, FakeConnection.Responder responder) {
    MessageLite reply = null;
    RpcException refusal = null;
    try {
      reply = execute(opcode, body);
    } catch (RpcException e) {
      refusal = e;
    } catch (Exception e) {
      throw new AssertionError("the script of a fake peer failed", e);
    }
    if (fault == Fault.LOSE_REPLY) {
      responder.cut();
    } else if (fault != Fault.SWALLOW_REPLY) {
      if (refusal != null) {
        responder.fail(refusal);
      } else {
        responder.reply(reply);
      }
    }
  }
}
