package org.weft.osd.harness;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcPeer;

/** A connection that is no wire: nothing can be sent on it. */
public final class FakePeer implements RpcPeer {
  private final int backgroundPercent;

  /**
   * @param backgroundPercent 0: a client's
   */
  public FakePeer(int backgroundPercent) {
    this.backgroundPercent = backgroundPercent;
  }

  @Override
  public int backgroundPercent() {
    return backgroundPercent;
  }

  @Override
  public PeerInfo info() {
    return new PeerInfo(new Endpoint("nowhere", 1), "nobody", Optional.empty(), 0, 1);
  }

  @Override
  public boolean control() {
    return false;
  }

  @Override
  public void push(Opcode opcode, MessageLite body) {
    throw new UnsupportedOperationException("nobody is on the other side");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("nobody is on the other side");
  }
}
