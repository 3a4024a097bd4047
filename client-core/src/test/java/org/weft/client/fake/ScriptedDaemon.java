package org.weft.client.fake;

import com.google.protobuf.MessageLite;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Transport;

/** A daemon as a test scripts it: it executes requests, unless a fault comes first. */
public abstract class ScriptedDaemon implements RpcService {
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
  private Transport transport;
  private Endpoint address;
  private RpcListener listener;
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final List<Opcode> received = new ArrayList<>();
  private boolean mute;

  protected ScriptedDaemon(ClusterId clusterId) {
    this.clusterId = clusterId;
  }

  /** Executes a request and says how it is answered. */
  protected abstract MessageLite execute(Opcode opcode, byte[] body) throws Exception;

  /** Which requests faults apply to. */
  protected boolean faulty(Opcode opcode) {
    return true;
  }

  /** Listens at that address of the wire, now and whenever it is started again. */
  public void startAt(Transport wire, Endpoint where) {
    stop();
    transport = wire;
    address = where;
    start();
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
    if (listener != null) {
      listener.close();
      listener = null;
    }
  }

  public void start() {
    ListenOptions options = ListenOptions.of(() -> Optional.of(clusterId), "fake", 0);
    listener = transport.listen(address, options, this).toCompletableFuture().join();
    address = listener.address();
  }

  /** Where it listens, or listened. */
  public Endpoint address() {
    return address;
  }

  @Override
  public synchronized void handle(InboundRequest request) {
    Opcode opcode = Opcode.of(request.opcodeNumber()).orElseThrow();
    received.add(opcode);
    if (mute) {
      return;
    }
    Fault fault = faulty(opcode) ? faults.poll() : null;
    if (fault == Fault.LOSE_REQUEST) {
      request.peer().close();
    } else if (fault == Fault.NOT_SERVING || fault == Fault.OVERLOADED) {
      request.fail(ErrorCode.valueOf(fault.name()), "not now: " + fault);
    } else {
      answer(fault, opcode, request);
    }
  }

  private void answer(Fault fault, Opcode opcode, InboundRequest request) {
    byte[] body = new byte[request.body().remaining()];
    request.body().get(body);
    MessageLite reply = null;
    WeftException refusal = null;
    try {
      reply = execute(opcode, body);
    } catch (WeftException e) {
      refusal = e;
    } catch (Exception e) {
      throw new AssertionError("the script of a daemon failed", e);
    }
    if (fault == Fault.LOSE_REPLY) {
      request.peer().close();
    } else if (fault != Fault.SWALLOW_REPLY) {
      if (refusal != null) {
        request.fail(refusal);
      } else {
        request.reply(reply);
      }
    }
  }
}
