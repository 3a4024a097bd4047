package org.weft.simulator.base;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.ReadReply;
import org.weft.testkit.sim.WireObserver;

/**
 * Checks blocks that OSDs send, as they leave. They must fit the checksums that were looked up with
 * them (P 5.2). Clients would notice and read elsewhere, so no other check sees it.
 */
public final class PayloadCheck implements WireObserver {
  private static final int BLOCK_BYTES = 4096;
  private static final int CRC_OF_ZEROS = crcOfZeros();

  private final WireObserver others;
  private final SortedMap<String, String> unfit = new TreeMap<>();

  PayloadCheck(WireObserver others) {
    this.others = others;
  }

  @Override
  public void happened(
      Event event,
      String from,
      String to,
      int opcode,
      long requestId,
      ByteString body,
      int payloadBytes) {
    others.happened(event, from, to, opcode, requestId, body, payloadBytes);
  }

  @Override
  public void left(String from, int opcode, ByteString replyBody, ByteBuffer payload) {
    if (opcode != Opcode.READ.number() || unfit.containsKey(from)) {
      return;
    }
    try {
      ReadReply reply = ReadReply.parseFrom(replyBody);
      for (int block = 0; block < reply.getBlockCrcCount(); block++) {
        CRC32C found = new CRC32C();
        found.update(payload.slice(block * BLOCK_BYTES, BLOCK_BYTES));
        int crc = (int) found.getValue();
        if (crc != reply.getBlockCrc(block) && !isLost(crc, reply.getBlockCrc(block))) {
          unfit.put(from, "block " + block + " of those of " + reply.getRunsList());
          return;
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new Violation(from + " sent no reply to a read: " + e, e);
    }
  }

  /** A block that is held as lost is zeros, and says so by a checksum that fits nothing (P 5.9). */
  private static boolean isLost(int found, int sent) {
    return found == CRC_OF_ZEROS && sent == ~CRC_OF_ZEROS;
  }

  private static int crcOfZeros() {
    CRC32C zeros = new CRC32C();
    zeros.update(new byte[BLOCK_BYTES]);
    return (int) zeros.getValue();
  }

  /** The first such block of each machine. */
  public SortedMap<String, String> unfit() {
    return unfit;
  }
}
