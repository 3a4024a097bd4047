package org.weft.simulator.node;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.ClusterId;
import org.weft.sysmgr.storage.MemberNotes;
import org.weft.testkit.raft.RaftDisk;

/**
 * What a member of SysMgr has on its disk: the file that says whose it is, and its log. The file is
 * durable at once.
 */
final class MemberDisk implements MemberNotes {
  private final int memberId;
  private final boolean joined;
  private final String instance;
  private final RaftDisk log;
  private boolean ready;
  private SortedMap<Integer, String> seen = new TreeMap<>();
  private Optional<ClusterId> cluster = Optional.empty();

  private MemberDisk(int memberId, boolean joined, String instance, RaftDisk log) {
    this.memberId = memberId;
    this.joined = joined;
    this.ready = joined;
    this.instance = instance;
    this.log = log;
  }

  /** The disk of one of the first members, before its first start. */
  static MemberDisk first(int memberId, String instance, RaftDisk log) {
    return new MemberDisk(memberId, false, instance, log);
  }

  /** The disk of a member that others are to add. */
  static MemberDisk joined(int memberId, RaftDisk log) {
    return new MemberDisk(memberId, true, "", log);
  }

  RaftDisk log() {
    return log;
  }

  void madeReady(SortedMap<Integer, String> others) {
    ready = true;
    seen = new TreeMap<>(others);
  }

  void clusterKnown(ClusterId id) {
    ready = true;
    cluster = Optional.of(id);
  }

  @Override
  public int memberId() {
    return memberId;
  }

  @Override
  public boolean joined() {
    return joined;
  }

  @Override
  public boolean isReady() {
    return ready;
  }

  @Override
  public String instance() {
    return instance;
  }

  @Override
  public SortedMap<Integer, String> seen() {
    return seen;
  }

  @Override
  public Optional<ClusterId> clusterId() {
    return cluster;
  }
}
