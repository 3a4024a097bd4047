package org.weft.osd.command.write;

import java.util.List;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CommandLimits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Checks and reads the fields that all commands which write bytes have (P 5.3, 5.7). */
final class WriteFields {
  private WriteFields() {}

  /** Where the bytes go: inside a component, and not past the capability's limit. */
  static void checkRange(long offsetBytes, int lengthBytes, Authorized authorized)
      throws WeftException {
    CommandLimits.range(offsetBytes, lengthBytes);
    long endBytes = offsetBytes + lengthBytes;
    long limitBytes = authorized.capability().byteLimit();
    if (Long.compareUnsigned(endBytes, limitBytes) > 0) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID,
          "the capability ends at byte %s of the component, the write at %d: ask for more"
              .formatted(Long.toUnsignedString(limitBytes), endBytes));
    }
  }

  /** The file length that is established (P 4.3). */
  static void checkLength(long eof, int truncationNumber) throws WeftException {
    CommandLimits.atMost("eof", eof, CommandLimits.MAX_FILE_BYTES);
    CommandLimits.atMost("truncation number", truncationNumber, Integer.MAX_VALUE);
  }

  static List<Integer> participants(List<Integer> indexes) throws WeftException {
    CommandLimits.atMost("count of participants", indexes.size(), CommandLimits.MAX_PARTICIPANTS);
    for (int index : indexes) {
      CommandLimits.atMost("participant", index, CommandLimits.MAX_COMPONENT_INDEX);
    }
    return indexes;
  }
}
