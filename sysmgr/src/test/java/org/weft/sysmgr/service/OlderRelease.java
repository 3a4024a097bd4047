package org.weft.sysmgr.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.ReplicatedLog.Machine;
import org.weft.protocol.wire.MemberStateReply;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.CommandNumbers;

/**
 * What shows of a member's release: which commands it says that it understands, and that it stops
 * at others. It is this release until a test makes it another one. Thread-safe.
 */
public final class OlderRelease implements Machine {
  private final int memberId;
  private final Machine machine;
  private volatile int understands = CommandNumbers.NEWEST;
  private volatile boolean answers = true;
  private volatile long asked;

  public OlderRelease(int memberId, Machine machine) {
    this.memberId = memberId;
    this.machine = machine;
  }

  /** From now on it is of the release that understands commands up to there. */
  public void understands(int number) {
    understands = number;
  }

  /** From now on it answers no question about itself, as one that is down, or does again. */
  public void answers(boolean does) {
    answers = does;
  }

  /** How often it was asked. */
  public long asked() {
    return asked;
  }

  /** What is in front of a member's service. A release from before the numbers tells none. */
  public RpcService desk(RpcService service) {
    return request -> {
      if (request.opcodeNumber() != Opcode.MEMBER_STATE.number()) {
        service.handle(request);
        return;
      }
      asked++;
      if (answers) {
        request.reply(
            MemberStateReply.newBuilder().setMemberId(memberId).setCommands(understands).build());
      }
    };
  }

  @Override
  public void check(byte[] command) {
    if (CommandCodec.origin(command).number() > understands) {
      throw new IllegalArgumentException("a command that member " + memberId + " does not know");
    }
    machine.check(command);
  }

  @Override
  public byte[] apply(long index, byte[] command) {
    if (CommandCodec.origin(command).number() > understands) {
      throw new AssertionError("member " + memberId + " stops for ever at entry " + index);
    }
    return machine.apply(index, command);
  }

  @Override
  public void save(OutputStream target) throws IOException {
    machine.save(target);
  }

  @Override
  public void load(InputStream source) throws IOException {
    machine.load(source);
  }
}
