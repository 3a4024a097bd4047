package org.weft.metadata.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The frames of one journal file, and where they end.
 *
 * @param endBytes behind the last frame that counts; what follows was never acknowledged
 */
record SegmentScan(String name, SegmentHeader header, List<FrameCodec.Frame> frames, int endBytes) {

  /** Reads the newest file: its tail may be torn. */
  static SegmentScan newest(String name, SegmentHeader header, ByteBuffer file)
      throws WeftException {
    SegmentScan scan = upToFirstGap(name, header, file);
    int end = scan.endBytes();
    int from = end;
    while (true) {
      Optional<FrameCodec.Frame> later = FrameCodec.find(file, from, header.salt());
      if (later.isEmpty()) {
        return scan;
      }
      if (later.get().groupBytes() > end) {
        throw damaged(
            name,
            end,
            "the record "
                + later.get().lsn()
                + " at offset "
                + later.get().offsetBytes()
                + " was written after it was on disk");
      }
      from = later.get().endBytes();
    }
  }

  /** Reads an older file, whose end stands in the next one. */
  static SegmentScan closed(String name, SegmentHeader header, ByteBuffer file, long endBytes)
      throws WeftException {
    ByteBuffer upToEnd = file.duplicate();
    if (endBytes > file.limit()) {
      throw damaged(name, file.limit(), "the file should have " + endBytes + " bytes");
    }
    upToEnd.limit((int) endBytes);
    SegmentScan scan = upToFirstGap(name, header, upToEnd);
    if (scan.endBytes() != endBytes) {
      throw damaged(name, scan.endBytes(), "the file was whole up to offset " + endBytes);
    }
    return scan;
  }

  private static SegmentScan upToFirstGap(String name, SegmentHeader header, ByteBuffer file) {
    List<FrameCodec.Frame> frames = new ArrayList<>();
    int offset = SegmentHeader.BYTES;
    while (true) {
      Optional<FrameCodec.Frame> frame = FrameCodec.at(file, offset, header.salt());
      if (frame.isEmpty()) {
        return new SegmentScan(name, header, List.copyOf(frames), offset);
      }
      frames.add(frame.get());
      offset = frame.get().endBytes();
    }
  }

  static WeftException damaged(String name, long offsetBytes, String evidence) {
    return new WeftException(
        ErrorCode.BAD_CHECKSUM,
        "the journal file "
            + name
            + " is damaged at offset "
            + offsetBytes
            + ": "
            + evidence
            + "; restore the file from a copy, or rebuild the volume from its OSDs");
  }
}
