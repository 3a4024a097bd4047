package org.weft.metadata.objects;

import java.util.List;
import org.weft.protocol.id.OsdId;

/** What SysMgr says of the OSDs of the volume's BladeSet. Thread-safe. */
public interface OsdStates {
  /** All of them, ascending. */
  List<OsdId> osds();

  /** SysMgr has given up on it: its copies lag from now on, and it is not asked. */
  boolean isDown(OsdId osd);

  /**
   * True if this start of the OSD may have lost writes of files. Such an OSD gets no completions. A
   * manager that compares it with others asks it for just that (P 5.9).
   */
  default boolean mayHaveLostWrites(OsdId osd, long incarnation) {
    return false;
  }
}
