package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.nfs.model.Fattr;
import org.weft.nfs.model.WccData;

/**
 * What was told of each state that a node was in. The model's ctime names the state: no two states
 * of a node share one. So every gateway has to tell the same of one state, later states have to
 * have a later ctime, and what a reply tells of the state before it has to be what others were told
 * of it (RFC 1813 section 2.6).
 */
final class StateRecord {
  /** The model's own times are later; what is earlier was set by a client. */
  private static final long FIRST_OWN_NANOS = 1_600_000_000_000_000_000L;

  /** Of one state. The size counts for files alone: that of a directory is the gateway's affair. */
  private record Told(long size, long mtime, long ctime) {}

  private final Map<NodeId, TreeMap<Long, Told>> states = new HashMap<>();
  private final Map<NodeId, Long> fileIds = new HashMap<>();
  private long compared;

  void tell(NodeAttributes model, Fattr seen) {
    Long fileId = fileIds.putIfAbsent(model.id(), seen.fileId());
    assertTrue(fileId == null || fileId == seen.fileId(), "one node, one fileid");
    tell(model, new Told(seen.size(), seen.mtime(), seen.ctime()));
  }

  void tell(NodeAttributes model, WccData.Pre seen) {
    tell(model, new Told(seen.size(), seen.mtime(), seen.ctime()));
  }

  private void tell(NodeAttributes model, Told seen) {
    TreeMap<Long, Told> ofNode = states.computeIfAbsent(model.id(), id -> new TreeMap<>());
    Told known = ofNode.putIfAbsent(model.ctimeNanos(), seen);
    if (known != null) {
      compared++;
      assertEquals(known, seen, () -> "one state of " + model.id() + " is told in two ways");
      return;
    }
    if (model.mtimeNanos() < FIRST_OWN_NANOS) {
      assertEquals(model.mtimeNanos(), seen.mtime(), "an mtime that a client set");
    }
    var earlier = ofNode.lowerEntry(model.ctimeNanos());
    if (earlier != null) {
      assertTrue(earlier.getValue().ctime() < seen.ctime(), () -> "ctime of " + model.id());
    }
    var later = ofNode.higherEntry(model.ctimeNanos());
    if (later != null) {
      assertTrue(seen.ctime() < later.getValue().ctime(), () -> "ctime of " + model.id());
    }
  }

  /** Nanoseconds that were told as the mtime of a state; -1 if it was not told. */
  long mtime(NodeAttributes model) {
    Told told = states.getOrDefault(model.id(), new TreeMap<>()).get(model.ctimeNanos());
    return told == null ? -1 : told.mtime();
  }

  /** How often a state was told again. */
  long compared() {
    return compared;
  }
}
