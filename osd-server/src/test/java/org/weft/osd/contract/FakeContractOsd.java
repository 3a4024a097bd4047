package org.weft.osd.contract;

import com.google.protobuf.MessageLite;
import org.weft.osd.harness.FakeInbound;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** The testkit's. */
final class FakeContractOsd implements ContractOsd {
  private final FakeOsd osd;

  FakeContractOsd(long seed) {
    VirtualTime time = new VirtualTime(seed);
    osd =
        FakeOsd.start(
            new OsdId(1),
            new ClusterId("0123456789abcdef0123456789abcdef"),
            new VirtualWire(time, seed),
            Runnable::run,
            WORKING_KEY);
  }

  @Override
  public Answer call(Opcode opcode, MessageLite body, byte[] payload) {
    FakeInbound call = ContractOsd.inbound(opcode, body, payload);
    osd.handle(call);
    return ContractOsd.answer(call);
  }

  @Override
  public void restart() {
    osd.restart();
  }

  @Override
  public void close() {
    osd.close();
  }
}
