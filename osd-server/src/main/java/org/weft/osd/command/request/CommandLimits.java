package org.weft.osd.command.request;

import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.value.BlockRun;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ListenOptions;

/**
 * What a command may ask for, checked before the store hears of it. All texts name the number that
 * was wrong.
 */
public final class CommandLimits {
  public static final int BLOCK_BYTES = StoreOptions.BLOCK_BYTES;

  /** Largest offset in a component, in bytes. */
  public static final long MAX_COMPONENT_BYTES = FileLimits.MAX_COMPONENT_BYTES;

  /** Largest range of one READ or GET_STAMP, widened to whole blocks: one reply's payload. */
  static final int MAX_RANGE_BYTES = ListenOptions.MAX_PAYLOAD_BYTES;

  /** Longest file, in bytes. */
  public static final long MAX_FILE_BYTES = FileLimits.MAX_FILE_BYTES;

  /** Largest seq: sums with a run's length cannot overflow. */
  public static final long MAX_SEQ = 1L << 56;

  /** Stripes of one run. */
  public static final int MAX_SEQ_COUNT = 1 << 16;

  /** Components of the widest file: (k + m) · groups, and its attribute-only ones. */
  public static final int MAX_COMPONENT_INDEX =
      (Layout.MAX_DATA_UNITS + Layout.MAX_PARITY_UNITS) * Layout.MAX_GROUPS + 16;

  /** Components that take part in one stripe. */
  public static final int MAX_PARTICIPANTS = Layout.MAX_DATA_UNITS + Layout.MAX_PARITY_UNITS;

  public static final int MAX_ATTRIBUTE_PAGES = 64;
  public static final int MAX_PAGE_NUMBER = 1 << 16;
  static final int MAX_LEFT_OUT = MAX_RANGE_BYTES / BLOCK_BYTES;
  public static final int MAX_LIST = 10_000;
  public static final int MAX_BATCH_ITEMS = 4_096;

  /** What a reply's body may grow to, so that it stays inside a frame's limit. */
  public static final int MAX_REPLY_BODY_BYTES = ListenOptions.MAX_BODY_BYTES - (64 << 10);

  private CommandLimits() {}

  /** INVALID_ARGUMENT. */
  public static WeftException invalid(String format, Object... numbers) {
    return new WeftException(ErrorCode.INVALID_ARGUMENT, format.formatted(numbers));
  }

  /** Numbers of the wire are unsigned: a negative long is a huge one. */
  public static long atMost(String what, long value, long limit) throws WeftException {
    if (value < 0 || value > limit) {
      throw invalid("%s must be at most %d, got %s", what, limit, Long.toUnsignedString(value));
    }
    return value;
  }

  public static int atMost(String what, int value, int limit) throws WeftException {
    if (value < 0 || value > limit) {
      throw invalid("%s must be at most %d, got %s", what, limit, Integer.toUnsignedString(value));
    }
    return value;
  }

  /** A range inside a component; empty ones are allowed. */
  public static void range(long offsetBytes, long lengthBytes) throws WeftException {
    atMost("offset", offsetBytes, MAX_COMPONENT_BYTES);
    atMost("length", lengthBytes, MAX_COMPONENT_BYTES - offsetBytes);
  }

  /** A place in a component where a block begins. */
  public static void wholeBlocks(String what, long bytes) throws WeftException {
    atMost(what, bytes, MAX_COMPONENT_BYTES);
    if (bytes % BLOCK_BYTES != 0) {
      throw invalid("%s must be a multiple of %d bytes, got %d", what, BLOCK_BYTES, bytes);
    }
  }

  /** A range of which each block may be answered at once. */
  public static void readRange(long offsetBytes, int lengthBytes) throws WeftException {
    range(offsetBytes, Integer.toUnsignedLong(lengthBytes));
    long widenedBytes =
        blocksTouched(offsetBytes, Integer.toUnsignedLong(lengthBytes)) * BLOCK_BYTES;
    if (widenedBytes > MAX_RANGE_BYTES) {
      throw invalid(
          "a range of whole blocks may have at most %d bytes, got %d",
          MAX_RANGE_BYTES, widenedBytes);
    }
  }

  /** Blocks of a range that are not wanted: ascending, none twice. */
  public static List<BlockRun> leftOut(List<org.weft.protocol.wire.BlockRun> runs)
      throws WeftException {
    atMost("runs left out", runs.size(), MAX_LEFT_OUT);
    List<BlockRun> checked = new ArrayList<>(runs.size());
    long end = 0;
    for (org.weft.protocol.wire.BlockRun run : runs) {
      long first = atMost("a block left out", run.getFirstBlock(), MAX_COMPONENT_BYTES);
      if (first < end || run.getBlockCount() <= 0) {
        throw invalid(
            "runs left out must ascend and hold blocks, got %d blocks from %d on behind block %d",
            Integer.toUnsignedLong(run.getBlockCount()), first, end);
      }
      end = first + run.getBlockCount();
      checked.add(new BlockRun(first, run.getBlockCount()));
    }
    return checked;
  }

  /** Commands whose body says everything. */
  public static void noPayload(ReceivedCommand command) throws WeftException {
    if (command.payload().lengthBytes() > 0) {
      throw invalid("%s takes no payload", command.opcode());
    }
  }

  /** The id of one object; 0 stands for a whole partition and names none. */
  public static ObjectId object(long id) throws WeftException {
    if (id == Capability.WHOLE_PARTITION) {
      throw invalid("object id 0 names no object: this command needs one");
    }
    return new ObjectId(id);
  }

  /** One checksum for each block touched. */
  public static int[] blockCrcs(List<Integer> crcs, long offsetBytes, long lengthBytes)
      throws WeftException {
    long touched = blocksTouched(offsetBytes, lengthBytes);
    if (crcs.size() != touched) {
      throw invalid(
          "%d bytes at offset %d touch %d blocks, but there are %d checksums",
          lengthBytes, offsetBytes, touched, crcs.size());
    }
    return crcs.stream().mapToInt(Integer::intValue).toArray();
  }

  /** How many 4 KiB blocks the range touches. */
  static long blocksTouched(long offsetBytes, long lengthBytes) {
    if (lengthBytes == 0) {
      return 0;
    }
    return (offsetBytes + lengthBytes - 1) / BLOCK_BYTES - offsetBytes / BLOCK_BYTES + 1;
  }
}
