package org.weft.testkit.rpc;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcPeer;

/** A connection that is no wire: it remembers what was pushed on it. Thread-safe. */
public final class FakePeer implements RpcPeer {
  private final int backgroundPercent;
  private final boolean control;
  private final List<Opcode> pushed = new CopyOnWriteArrayList<>();

  private FakePeer(int backgroundPercent, boolean control) {
    this.backgroundPercent = backgroundPercent;
    this.control = control;
  }

  /** A client's connection for requests. */
  public static FakePeer client() {
    return new FakePeer(0, false);
  }

  /** A client's connection for pushes. */
  public static FakePeer ofControl() {
    return new FakePeer(0, true);
  }

  /** A manager's connection for work in the background, of that share. */
  public static FakePeer background(int percent) {
    return new FakePeer(percent, false);
  }

  /** What was pushed, in order. */
  public List<Opcode> pushed() {
    return pushed;
  }

  @Override
  public int backgroundPercent() {
    return backgroundPercent;
  }

  @Override
  public PeerInfo info() {
    return new PeerInfo(new Endpoint("nowhere", 1), "no client", Optional.empty(), 0, 1);
  }

  @Override
  public boolean control() {
    return control;
  }

  @Override
  public void push(Opcode opcode, MessageLite body) {
    pushed.add(opcode);
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("no client is on the other side");
  }
}
