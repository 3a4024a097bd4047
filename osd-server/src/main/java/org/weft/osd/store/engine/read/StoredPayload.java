package org.weft.osd.store.engine.read;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.Payload;

/**
 * Stored ranges one after another as one payload; it ends a reader's pin when it is released. The
 * transport reads them late. What it cannot read then is {@link SalvagedBlocks salvaged}.
 */
class StoredPayload implements Payload {
  private final List<Payload> parts;
  private final SalvagedBlocks salvage;
  private final Runnable released;
  private final AtomicBoolean done = new AtomicBoolean();

  private StoredPayload(List<Payload> parts, SalvagedBlocks salvage, Runnable released) {
    this.parts = List.copyOf(parts);
    this.salvage = salvage;
    this.released = released;
  }

  /** One that leaves by the shortest way if all its parts can. */
  static Payload of(List<Payload> parts, SalvagedBlocks salvage, Runnable released) {
    List<FilePayload.Range> ranges = new ArrayList<>();
    for (Payload part : parts) {
      if (!(part instanceof FilePayload file)) {
        return new StoredPayload(parts, salvage, released);
      }
      ranges.addAll(file.ranges());
    }
    return new OfFiles(parts, salvage, released, ranges);
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
    try {
      List<ByteBuffer> buffers = new ArrayList<>();
      parts.forEach(part -> buffers.addAll(part.buffers()));
      return buffers;
    } catch (UncheckedIOException e) {
      return salvage.read();
    }
  }

  @Override
  public final void release() {
    if (!done.getAndSet(true)) {
      parts.forEach(Payload::release);
      released.run();
    }
  }

  /** All parts lie in files. */
  private static final class OfFiles extends StoredPayload implements FilePayload {
    private final SalvagedBlocks salvage;
    private final List<Range> ranges;

    OfFiles(List<Payload> parts, SalvagedBlocks salvage, Runnable released, List<Range> ranges) {
      super(parts, salvage, released);
      this.salvage = salvage;
      this.ranges = List.copyOf(ranges);
    }

    @Override
    public List<Range> ranges() {
      return ranges;
    }

    @Override
    public void transferFailed() {
      salvage.doubt();
    }
  }
}
