package org.weft.client.health;

import java.util.List;
import java.util.Objects;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.wire.DamagedFile;
import org.weft.protocol.wire.ListDamageReply;
import org.weft.protocol.wire.RangeMessage;

/**
 * Some of a volume's files that have lost bytes, in the order of their objects. Immutable.
 *
 * @param more others follow
 */
public record DamagedFiles(List<One> files, boolean more) {
  /**
   * One of them.
   *
   * @param path where it was when its attributes were last written; empty if that cannot be told
   * @param what a sentence: what was lost, and what can be done
   * @param sizeBytes length of the file
   * @param gone bytes of it that are gone, ascending; empty if it is not known which these are, or
   *     none but redundancy is
   * @param moreRanges there are more than these
   * @param inDoubt bytes of it in whose stripes parity and data contradict each other, though all
   *     can be read. Some of them may not be what was written
   */
  public record One(
      long objectId,
      String path,
      String what,
      long sizeBytes,
      List<ByteRange> gone,
      boolean moreRanges,
      List<ByteRange> inDoubt) {
    /** Of which nothing is in doubt. */
    public One(
        long objectId,
        String path,
        String what,
        long sizeBytes,
        List<ByteRange> gone,
        boolean moreRanges) {
      this(objectId, path, what, sizeBytes, gone, moreRanges, List.of());
    }

    public One {
      Objects.requireNonNull(path, "path");
      Objects.requireNonNull(what, "what");
      gone = List.copyOf(gone);
      inDoubt = List.copyOf(inDoubt);
    }

    /** Of all these ranges. */
    public long goneBytes() {
      return gone.stream().mapToLong(range -> range.to() - range.from()).sum();
    }
  }

  public DamagedFiles {
    files = List.copyOf(files);
  }

  /**
   * @param mountPath where the volume stands
   */
  static DamagedFiles fromMessage(String mountPath, ListDamageReply reply) {
    String above = mountPath.equals("/") ? "" : mountPath;
    return new DamagedFiles(
        reply.getFilesList().stream().map(file -> one(above, file)).toList(), reply.getMore());
  }

  private static One one(String above, DamagedFile file) {
    return new One(
        file.getObjectId(),
        file.getPath().isEmpty() ? "" : above + file.getPath(),
        file.getWhat(),
        file.getSizeBytes(),
        ranges(file.getGoneList()),
        file.getMoreRanges(),
        ranges(file.getInDoubtList()));
  }

  private static List<ByteRange> ranges(List<RangeMessage> said) {
    return said.stream().map(ByteRange::fromMessage).toList();
  }
}
