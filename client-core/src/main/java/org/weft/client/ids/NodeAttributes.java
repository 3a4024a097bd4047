package org.weft.client.ids;

import com.google.protobuf.ByteString;

/**
 * The attributes of a node at one moment. Times are nanoseconds since 1970.
 *
 * @param mode the lowest twelve bits of a POSIX mode
 * @param links names that it has; of a directory 2 and one for each directory in it
 * @param sizeBytes the published length of a file; of a link that of its target; of a directory 0
 * @param usedBytes what the content takes at most, without parity: holes count
 * @param rdevMajor of a device, unsigned; else 0
 * @param rdevMinor of a device, unsigned; else 0
 * @param mtimeNanos when the content changed last
 * @param ctimeNanos when anything changed last: grows with every change of the node
 * @param changeNumber differs after each journalled change
 * @param cuts how often a file was cut: nothing follows from a length of before the last cut
 * @param symlinkTarget of a symbolic link; else empty
 */
public record NodeAttributes(
    NodeId id,
    NodeType type,
    int mode,
    int links,
    String owner,
    String group,
    long sizeBytes,
    long usedBytes,
    int rdevMajor,
    int rdevMinor,
    long atimeNanos,
    long mtimeNanos,
    long ctimeNanos,
    long changeNumber,
    int cuts,
    ByteString symlinkTarget) {
  private static final int SETUID = 04000;
  private static final int SETGID_TO_RUN = 02010;

  /** It runs with the rights of its owner or its group, as long as others do not change it. */
  public boolean runsWithRightsOfItsOwn() {
    return (mode & SETUID) != 0 || (mode & SETGID_TO_RUN) == SETGID_TO_RUN;
  }

  /** The same of a file that is longer by now. */
  public NodeAttributes withSize(long newSizeBytes) {
    return new NodeAttributes(
        id,
        type,
        mode,
        links,
        owner,
        group,
        newSizeBytes,
        newSizeBytes,
        rdevMajor,
        rdevMinor,
        atimeNanos,
        mtimeNanos,
        ctimeNanos,
        changeNumber,
        cuts,
        symlinkTarget);
  }
}
