package org.weft.sysmgr.bladeset;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;

/** A change of a BladeSet. Each is one entry of the log: it is whole, or was not. */
public sealed interface BladeSetChange {
  /** Of the BladeSet that it is about. */
  String name();

  record Create(String name, FaultDomain.Wish domain) implements BladeSetChange {}

  /** Refused unless there is neither an OSD nor a volume in it. */
  record Delete(String name) implements BladeSetChange {}

  record SetDomain(String name, FaultDomain.Wish domain) implements BladeSetChange {}

  /** All OSDs and volumes go over to another one, and the name with them. */
  record Merge(String name, String into) implements BladeSetChange {}

  /**
   * OSDs of others are to come into it: at once where none of their volumes can be on them, else
   * they are drained first.
   */
  record Grow(String name, SortedSet<OsdId> osds) implements BladeSetChange {
    public Grow {
      osds = Collections.unmodifiableSortedSet(new TreeSet<>(osds));
    }
  }

  /**
   * An OSD that was to come holds nothing.
   *
   * @param clearedDrain the drain since which that is so, as the managers of all volumes of its
   *     BladeSet said
   */
  record Arrive(String name, OsdId osd, long clearedDrain) implements BladeSetChange {}
}
