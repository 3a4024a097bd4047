package org.weft.osd.command.turn;

import java.nio.ByteBuffer;
import java.util.List;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.Payload;

/** The payload of an answer: its command's turn lasts until it is released, for it is read late. */
class TurnPayload implements Payload {
  private final Payload payload;
  private final BackgroundTurns.Turn turn;

  private TurnPayload(Payload payload, BackgroundTurns.Turn turn) {
    this.payload = payload;
    this.turn = turn;
  }

  /** One that leaves by the shortest way if the other one does. */
  static Payload of(Payload payload, BackgroundTurns.Turn turn) {
    return payload instanceof FilePayload file
        ? new OfFiles(file, turn)
        : new TurnPayload(payload, turn);
  }

  @Override
  public final int lengthBytes() {
    return payload.lengthBytes();
  }

  @Override
  public final List<ByteBuffer> buffers() {
    return payload.buffers();
  }

  @Override
  public final void release() {
    try {
      payload.release();
    } finally {
      turn.end();
    }
  }

  private static final class OfFiles extends TurnPayload implements FilePayload {
    private final FilePayload file;

    OfFiles(FilePayload file, BackgroundTurns.Turn turn) {
      super(file, turn);
      this.file = file;
    }

    @Override
    public List<Range> ranges() {
      return file.ranges();
    }

    @Override
    public void transferFailed() {
      file.transferFailed();
    }
  }
}
