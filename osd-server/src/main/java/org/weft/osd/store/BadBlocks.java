package org.weft.osd.store;

import java.util.List;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/** What is known of blocks that the medium does not give back as written. Thread-safe. */
public interface BadBlocks {
  /** Knows of none, and hears of none. */
  BadBlocks NONE =
      new BadBlocks() {
        @Override
        public List<BadBlock> of(PartitionId partition) {
          return List.of();
        }

        @Override
        public void complain(ObjectName object, long firstBlock, int count) {}
      };

  /** Those that objects hold now, in the order of {@link BadBlock#BY_PLACE}; from memory. */
  List<BadBlock> of(PartitionId partition);

  /** A reader says that these are bad: they are looked at, later. Returns at once. */
  void complain(ObjectName object, long firstBlock, int count);
}
