package org.weft.osd.command.turn;

import com.google.protobuf.Parser;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;

/** A command that has a frame of its own. Handed from thread to thread. */
public final class FrameCommand implements ReceivedCommand {
  private final Opcode opcode;
  private final InboundRequest request;
  // Of the handler that parsed it last: what could not be begun at once is looked at again.
  private Parser<?> parser;
  private Object body;
  private BackgroundTurns.Turn turn = BackgroundTurns.Turn.NONE;

  public FrameCommand(Opcode opcode, InboundRequest request) {
    this.opcode = opcode;
    this.request = request;
  }

  @Override
  public Opcode opcode() {
    return opcode;
  }

  /** The frame. */
  public InboundRequest request() {
    return request;
  }

  /** Before it is begun: it ends with its answer. */
  public void has(BackgroundTurns.Turn its) {
    turn = its;
  }

  /**
   * Answers. A turn lasts until the payload has left, or was given up: where it lies in a file it
   * is read only then.
   */
  public void reply(CommandReply answer) {
    if (turn == BackgroundTurns.Turn.NONE || answer.payload().lengthBytes() == 0) {
      try {
        request.reply(answer.body(), answer.payload());
      } finally {
        turn.end();
      }
      return;
    }
    try {
      request.reply(answer.body(), TurnPayload.of(answer.payload(), turn));
    } catch (RuntimeException | Error e) {
      turn.end();
      throw e;
    }
  }

  /** Answers that nothing was changed, and why. */
  public void fail(WeftException why) {
    try {
      request.fail(why);
    } finally {
      turn.end();
    }
  }

  /** Why it is not worth to be begun any more; null if it is. */
  public WeftException givenUp(long nowNanos) {
    if (request.cancelled()) {
      return new WeftException(ErrorCode.CANCELLED, "cancelled before it was begun");
    }
    return nowNanos - request.deadlineNanos() < 0
        ? null
        : new WeftException(ErrorCode.DEADLINE_EXCEEDED, "its time was over before it was begun");
  }

  @Override
  @SuppressWarnings("unchecked") // What the same parser made.
  public <T> T parse(Parser<T> wanted) throws WeftException {
    if (parser != wanted) {
      body = request.parse(wanted);
      parser = wanted;
    }
    return (T) body;
  }

  @Override
  public Payload payload() {
    return request.payload();
  }

  @Override
  public boolean signedWith(byte[] secret) {
    return request.signedWith(secret);
  }
}
