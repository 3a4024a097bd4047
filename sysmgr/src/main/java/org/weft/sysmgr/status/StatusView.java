package org.weft.sysmgr.status;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog.Progress;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.liveness.NodeReport;
import org.weft.sysmgr.liveness.UnusableOsds;

/**
 * The values by which the status is judged.
 *
 * @param reports last heartbeats, of the nodes that have sent one to this leader
 * @param nowMillis wall time, to say how long ago something was
 * @param leading this member leads; else what it knows may be old
 * @param members RPC addresses of SysMgr's members
 * @param complaints what managers say of OSDs that they cannot use
 * @param silentMillis how long ago nodes were heard last, of those that were by this leader
 * @param clocksAheadMillis by how much nodes' clocks are ahead of this member's; negative: behind
 * @param progress how far SysMgr's other members are; empty where this one does not lead
 */
public record StatusView(
    Configuration configuration,
    SortedMap<NodeKey, NodeReport> reports,
    long nowMillis,
    boolean leading,
    List<Endpoint> members,
    List<UnusableOsds.Complaint> complaints,
    SortedMap<NodeKey, Long> silentMillis,
    SortedMap<NodeKey, Long> clocksAheadMillis,
    List<Progress> progress) {
  public StatusView {
    reports = Collections.unmodifiableSortedMap(new TreeMap<>(reports));
    members = List.copyOf(members);
    complaints = List.copyOf(complaints);
    progress = List.copyOf(progress);
    clocksAheadMillis = Collections.unmodifiableSortedMap(new TreeMap<>(clocksAheadMillis));
    silentMillis = Collections.unmodifiableSortedMap(new TreeMap<>(silentMillis));
  }

  /** Of which no manager complains. */
  public StatusView(
      Configuration configuration,
      SortedMap<NodeKey, NodeReport> reports,
      long nowMillis,
      boolean leading,
      List<Endpoint> members) {
    this(
        configuration,
        reports,
        nowMillis,
        leading,
        members,
        List.of(),
        new TreeMap<>(),
        new TreeMap<>(),
        List.of());
  }

  public Optional<NodeReport> report(NodeKey key) {
    return Optional.ofNullable(reports.get(key));
  }
}
