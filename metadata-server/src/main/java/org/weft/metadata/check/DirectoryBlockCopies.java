package org.weft.metadata.check;

import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.id.OsdId;

/**
 * What copies of a directory have of some blocks, and of the header.
 *
 * @param blocks blocks that were never written are left out
 * @param damaged copies that cannot be read, and why
 */
record DirectoryBlockCopies(
    SortedMap<OsdId, SortedMap<Integer, byte[]>> blocks, SortedMap<OsdId, String> damaged) {
  static DirectoryBlockCopies none() {
    return new DirectoryBlockCopies(new TreeMap<>(), new TreeMap<>());
  }

  /** As the newest header says; 0 if there is none. */
  int endBlock() {
    byte[] newest = null;
    for (SortedMap<Integer, byte[]> copy : blocks.values()) {
      byte[] header = copy.get(DirectoryBlock.HEADER);
      boolean isNewer =
          header != null
              && (newest == null
                  || DirectoryBlock.lsnOf(header).compareTo(DirectoryBlock.lsnOf(newest)) > 0);
      newest = isNewer ? header : newest;
    }
    return newest == null ? 0 : DirectoryBlock.endBlockOf(newest);
  }

  /** Without those that are known to be out of date. */
  DirectoryBlockCopies without(LiveNode live) {
    DirectoryBlockCopies rest =
        new DirectoryBlockCopies(new TreeMap<>(blocks), new TreeMap<>(damaged));
    rest.blocks.keySet().removeIf(live::explains);
    rest.damaged.keySet().removeIf(live::explains);
    return rest;
  }
}
