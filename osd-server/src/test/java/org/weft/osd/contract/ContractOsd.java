package org.weft.osd.contract;

import com.google.protobuf.MessageLite;
import org.weft.osd.harness.FakeInbound;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;

/** An OSD that takes one command after another, from callers that sign well. */
interface ContractOsd extends AutoCloseable {
  byte[] WORKING_KEY = new byte[32];

  /**
   * What a command was answered with.
   *
   * @param error null if it was carried out
   * @param body null if it was refused
   */
  record Answer(ErrorCode error, String message, MessageLite body, byte[] payload) {
    @Override
    public String toString() {
      return error != null ? error + ": " + message : body + ", " + payload.length + " bytes";
    }
  }

  Answer call(Opcode opcode, MessageLite body, byte[] payload);

  /** Its process is killed and started again; nothing that was answered is lost. */
  void restart();

  /** Ends it; fails if what it keeps is not in order. */
  @Override
  void close();

  static FakeInbound inbound(Opcode opcode, MessageLite body, byte[] payload) {
    return new FakeInbound(opcode.number(), body.toByteArray(), payload, true);
  }

  /** The answer of a call that has been answered. */
  static Answer answer(FakeInbound call) {
    if (!call.answer().isDone()) {
      throw new AssertionError("it was not answered");
    }
    if (call.answer().isCompletedExceptionally()) {
      WeftException why = call.answer().handle((body, thrown) -> WeftException.of(thrown)).join();
      return new Answer(why.code(), why.getMessage(), null, new byte[0]);
    }
    return new Answer(null, "", call.answer().join(), call.answerPayload());
  }
}
