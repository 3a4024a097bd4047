package org.weft.osd.store.engine.block;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.Payload;

/** Payloads one after another as one; it ends a reader's pin when it is released. */
public class JoinedPayload implements Payload {
  private final List<Payload> parts;
  private final Runnable released;
  private final AtomicBoolean done = new AtomicBoolean();

  private JoinedPayload(List<Payload> parts, Runnable released) {
    this.parts = List.copyOf(parts);
    this.released = released;
  }

  /** One that leaves by the shortest way if all its parts can. */
  public static Payload of(List<Payload> parts, Runnable released) {
    List<FilePayload.Range> ranges = new ArrayList<>();
    for (Payload part : parts) {
      if (!(part instanceof FilePayload file)) {
        return new JoinedPayload(parts, released);
      }
      ranges.addAll(file.ranges());
    }
    return new OfFiles(parts, released, ranges);
  }

  @Override
  public final int lengthBytes() {
    int length = 0;
    for (Payload part : parts) {
      length = Math.addExact(length, part.lengthBytes());
    }
    return length;
  }

  @Override
  public final List<ByteBuffer> buffers() {
    List<ByteBuffer> buffers = new ArrayList<>();
    parts.forEach(part -> buffers.addAll(part.buffers()));
    return buffers;
  }

  @Override
  public final void release() {
    if (!done.getAndSet(true)) {
      parts.forEach(Payload::release);
      released.run();
    }
  }

  /** All parts lie in files. */
  private static final class OfFiles extends JoinedPayload implements FilePayload {
    private final List<Range> ranges;

    OfFiles(List<Payload> parts, Runnable released, List<Range> ranges) {
      super(parts, released);
      this.ranges = List.copyOf(ranges);
    }

    @Override
    public List<Range> ranges() {
      return ranges;
    }
  }
}
