package org.weft.nfs.mount;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * Replies with a list that people read: DUMP and EXPORT. The protocol has no second page, so
 * entries that do not fit are left out. Without a bound a few calls could take all memory.
 *
 * @param entries as they are when the call arrives
 * @param mostBytes of all entries
 */
record EntriesTask(List<? extends Entry> entries, int mostBytes) implements RpcTask {
  /** About what a call may have. */
  static final int MAX_BYTES = 1 << 20;

  /** One of the list. */
  interface Entry {
    /** Bytes that {@link #write} writes. */
    int bytes();

    void write(XdrWriter out);
  }

  static EntriesTask of(List<? extends Entry> entries) {
    long bytes = 0;
    for (Entry entry : entries) {
      bytes += Integer.BYTES + entry.bytes();
      if (bytes >= MAX_BYTES) {
        break;
      }
    }
    return new EntriesTask(entries, (int) Math.min(MAX_BYTES, bytes));
  }

  /** Bytes of variable-length opaque data, RFC 4506 section 4.10. */
  static int opaqueBytes(int length) {
    return Integer.BYTES + ((length + 3) & ~3);
  }

  @Override
  public CompletionStage<OncReply> run(RpcCall call) {
    return CompletableFuture.completedFuture(this::write);
  }

  private void write(XdrWriter out) {
    int left = mostBytes;
    for (Entry entry : entries) {
      left -= Integer.BYTES + entry.bytes();
      if (left < 0) {
        break;
      }
      entry.write(out.bool(true));
    }
    out.bool(false);
  }

  @Override
  public int mostReplyBytes() {
    return mostBytes + SMALL_REPLY_BYTES;
  }

  @Override
  public RpcTask within(int replyBytes) {
    return new EntriesTask(entries, Math.min(mostBytes, replyBytes - SMALL_REPLY_BYTES));
  }
}
