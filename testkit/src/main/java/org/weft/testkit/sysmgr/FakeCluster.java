package org.weft.testkit.sysmgr;

import static org.weft.protocol.wire.VolumeState.ACTIVE;
import static org.weft.protocol.wire.VolumeState.CREATING;
import static org.weft.protocol.wire.VolumeState.DELETING;
import static org.weft.protocol.wire.VolumeState.EMPTIED;
import static org.weft.protocol.wire.VolumeState.FORMATTED;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.PartitionKeys;
import org.weft.protocol.wire.ReadmitOsdRequest;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;
import org.weft.protocol.wire.VolumeStep;
import org.weft.protocol.wire.VolumeStepRequest;
import org.weft.protocol.wire.WorkingKey;

/**
 * The configuration of a cluster, as a SysMgr would hold it: nodes, volumes, keys and fence epochs,
 * all drawn from one seed. It starts with the root volume, id 1, path "/", with one working key.
 *
 * <p>Nodes that join are UP and stay so, whether they send heartbeats or not: a test that wants
 * another state says so with {@link #osdState}. Thread-safe; every change makes a new table
 * version.
 */
public final class FakeCluster {
  /** The root volume and its partition. */
  public static final long ROOT_VOLUME = 1;

  private static final int LEASE_MILLIS = 2_000;

  private final SplittableRandom random;
  private final ClusterId clusterId;
  private final byte[] joinToken;
  private final Map<Integer, OsdRow> osds = new TreeMap<>();
  private final Map<Integer, ManagerRow> managers = new TreeMap<>();
  private final Map<Long, VolumeRow> volumes = new TreeMap<>();
  private final Map<Long, PartitionKeys> partitions = new TreeMap<>();
  private final Map<Integer, HeartbeatRequest> lastHeartbeats = new TreeMap<>();
  private final List<JoinRequest> joins = new ArrayList<>();
  private final Map<Integer, List<Long>> nonces = new TreeMap<>();
  private final List<VolumeStepRequest> steps = new ArrayList<>();
  private final Set<VolumeStep> ignored = EnumSet.noneOf(VolumeStep.class);
  private final List<ReadmitOsdRequest> readmissions = new ArrayList<>();
  private int heartbeatMillis = 1_000;
  private long lastVolume = ROOT_VOLUME;
  private long lastOperation;
  private long tableVersion = 1;
  private long partitionsVersion = 1;

  private FakeCluster(long seed) {
    random = new SplittableRandom(seed);
    clusterId = new ClusterId("%016x%016x".formatted(random.nextLong(), random.nextLong()));
    joinToken = FakeManagerRows.drawKey(random);
    addVolume(ROOT_VOLUME, "/");
  }

  public static FakeCluster seeded(long seed) {
    return new FakeCluster(seed);
  }

  public ClusterId clusterId() {
    return clusterId;
  }

  /** What a daemon is given to join with. */
  public byte[] joinToken() {
    return joinToken.clone();
  }

  byte[] joinSecret() {
    return JoinSecret.of(joinToken);
  }

  /** How often nodes that join from now on send heartbeats. */
  public synchronized FakeCluster heartbeatMillis(int millis) {
    heartbeatMillis = millis;
    return this;
  }

  /** Adds a volume and its partition, with key version 1. */
  public synchronized void addVolume(long volumeId, String path) {
    volumes.put(
        volumeId,
        VolumeRow.newBuilder()
            .setVolumeId(volumeId)
            .setPath(path)
            .setMaxParity(2)
            .setDefaultParityUnits(1)
            .setBladeSet("default")
            .setSuperuser("weft")
            .build());
    partitions.put(volumeId, PartitionKeys.newBuilder().setPartitionId(volumeId).build());
    addKey(volumeId);
  }

  /** Adds a working key to a partition; older ones stay valid. */
  public synchronized void addKey(long partitionId) {
    PartitionKeys old = partitions.get(partitionId);
    WorkingKey key =
        WorkingKey.newBuilder()
            .setVersion(old.getKeysCount() + 1)
            .setKey(ByteString.copyFrom(FakeManagerRows.drawKey(random)))
            .build();
    putPartition(old.toBuilder().addKeys(key).build());
  }

  /** Sets the fence epoch that OSDs learn with their next heartbeat. */
  public synchronized void fence(long partitionId, long epoch) {
    putPartition(partitions.get(partitionId).toBuilder().setFenceEpoch(epoch).build());
  }

  /** The volume is gone, and its partition: OSDs learn it with their next heartbeat. */
  public synchronized void removeVolume(long volumeId) {
    lastVolume = Math.max(lastVolume, volumeId);
    volumes.remove(volumeId);
    partitions.remove(volumeId);
    partitionsVersion++;
    tableVersion++;
  }

  /** As a SysMgr would be that was brought back from a copy older than the volume. */
  public synchronized void forgetVolume(long volumeId) {
    removeVolume(volumeId);
    lastVolume = volumeId - 1;
  }

  public synchronized long partitionsVersion() {
    return partitionsVersion;
  }

  /** The keys of a partition, newest last. */
  public synchronized PartitionKeys partition(long partitionId) {
    return partitions.get(partitionId);
  }

  /** Signs a capability with the working key that it names. */
  public synchronized SignedCapability sign(Capability capability) {
    PartitionKeys keys = partitions.get(capability.object().partition().value());
    for (WorkingKey key : keys.getKeysList()) {
      if (key.getVersion() == capability.keyVersion()) {
        return SignedCapability.sign(capability, key.getKey().toByteArray());
      }
    }
    throw new IllegalArgumentException("the fake has no key of version " + capability.keyVersion());
  }

  /** What SysMgr would say of an OSD from now on. */
  public synchronized void osdState(int osdId, NodeState state) {
    osds.computeIfPresent(osdId, (id, row) -> row.toBuilder().setState(state).build());
    tableVersion++;
  }

  /** The OSD is in a new quarantine, and hears of it with its next answer. */
  public synchronized void quarantine(int osdId, boolean lostWrites) {
    osds.computeIfPresent(osdId, (id, row) -> FakeOsdRows.begun(row, lostWrites));
    tableVersion++;
  }

  /** The quarantine of an OSD is over for one volume; it hears so with its next answer. */
  public synchronized void open(int osdId, long volume) {
    osds.computeIfPresent(osdId, (id, row) -> row.toBuilder().addOpenVolume(volume).build());
    tableVersion++;
  }

  /** The quarantine of an OSD is over. */
  public synchronized void endQuarantine(int osdId) {
    osds.computeIfPresent(osdId, (id, row) -> FakeOsdRows.ended(row));
    tableVersion++;
  }

  /** Every readmission that was asked for, oldest first. */
  public synchronized List<ReadmitOsdRequest> readmissions() {
    return List.copyOf(readmissions);
  }

  /** One volume's word is enough here. */
  synchronized void readmit(ReadmitOsdRequest request) throws WeftException {
    readmissions.add(request);
    FakeOsdRows.requireSame(osds.get(request.getOsdId()), request);
    endQuarantine(request.getOsdId());
  }

  /** Forgets which incarnation of an OSD has joined: it must join again before it may report. */
  public synchronized void forgetIncarnation(int osdId) {
    osds.computeIfPresent(osdId, (id, row) -> row.toBuilder().clearIncarnation().build());
  }

  /** No manager has joined: those that run are refused when they join again. */
  public synchronized void forgetManagers() {
    managers.clear();
  }

  public synchronized ClusterTable table() {
    return ClusterTable.newBuilder()
        .setVersion(tableVersion)
        .setClusterId(clusterId.value())
        .setClusterName("fake")
        .addAllOsds(osds.values())
        .addAllManagers(managers.values())
        .addAllVolumes(volumes.values())
        .build();
  }

  /** Every join asked for, oldest first. */
  public synchronized List<JoinRequest> joins() {
    return List.copyOf(joins);
  }

  /** The last heartbeat of an OSD. */
  public synchronized Optional<HeartbeatRequest> lastHeartbeat(int osdId) {
    return Optional.ofNullable(lastHeartbeats.get(osdId));
  }

  synchronized JoinReply joinOsd(JoinRequest request) throws WeftException {
    joins.add(request);
    int known = FakeOsdRows.idOf(osds.values(), request.getIdentity());
    int id = nodeId(request, known, osds.size() + 1);
    OsdRow before = osds.getOrDefault(id, OsdRow.getDefaultInstance());
    boolean quarantined = before.getState() == NodeState.QUARANTINED;
    osds.put(id, FakeOsdRows.joined(id, request, before));
    tableVersion++;
    return joined(id)
        .addAllPartitions(partitions.values())
        .setLastPartitionId(lastVolume)
        .setPartitionsVersion(partitionsVersion)
        .setQuarantine(before.getQuarantine())
        .setQuarantined(quarantined)
        .addAllOpenVolumes(before.getOpenVolumeList())
        .build();
  }

  synchronized JoinReply joinManager(JoinRequest request) throws WeftException {
    joins.add(request);
    int id =
        nodeId(
            request,
            FakeManagerRows.idOf(managers.values(), request.getIdentity()),
            managers.size() + 1);
    managers.put(
        id,
        ManagerRow.newBuilder()
            .setManagerId(id)
            .addAllAddresses(request.getAddressesList())
            .setState(NodeState.UP)
            .setHost(request.getHost())
            .setIdentity(request.getIdentity())
            .build());
    volumes.computeIfPresent(
        ROOT_VOLUME, (k, v) -> v.getManagerId() == 0 ? v.toBuilder().setManagerId(id).build() : v);
    tableVersion++;
    return joined(id).build();
  }

  synchronized HeartbeatReply heartbeat(HeartbeatRequest request) throws WeftException {
    if (request.getOsdId() != 0) {
      OsdRow row = osds.get(request.getOsdId());
      if (row == null || row.getIncarnation() != request.getIncarnation()) {
        throw new WeftException(
            ErrorCode.NOT_FOUND, "OSD " + request.getOsdId() + " has not joined; join again");
      }
      lastHeartbeats.put(request.getOsdId(), request);
      osds.put(request.getOsdId(), FakeOsdRows.merged(row, request));
      tableVersion += request.getLeaving() ? 1 : 0;
    } else if (!managers.containsKey(request.getManagerId())) {
      throw new WeftException(
          ErrorCode.NOT_FOUND, "manager " + request.getManagerId() + " has not joined; join again");
    }
    HeartbeatReply.Builder reply =
        HeartbeatReply.newBuilder()
            .setTableVersion(tableVersion)
            .setLeaseMillis(LEASE_MILLIS)
            .setPartitionsVersion(partitionsVersion);
    if (request.getOsdId() != 0) {
      OsdRow row = osds.get(request.getOsdId());
      reply
          .setQuarantine(row.getQuarantine())
          .setQuarantined(row.getState() == NodeState.QUARANTINED)
          .addAllOpenVolumes(row.getOpenVolumeList());
    }
    if (request.getOsdId() != 0 && request.getPartitionsVersion() < partitionsVersion) {
      reply.addAllPartitions(partitions.values()).setLastPartitionId(lastVolume);
    }
    return reply.build();
  }

  /**
   * Every volume of the manager gets a new epoch; a repeat with the same nonce gets the same answer
   * again. Nonce 0 is always new.
   */
  synchronized AcquireVolumesReply acquire(int managerId, long nonce) throws WeftException {
    List<Long> starts = nonces.computeIfAbsent(managerId, id -> new ArrayList<>());
    boolean again = nonce != 0 && starts.contains(nonce);
    if (again) {
      requireLastStart(managerId, nonce);
    } else {
      starts.add(nonce);
    }
    AcquireVolumesReply.Builder reply =
        AcquireVolumesReply.newBuilder().setLeaseMillis(LEASE_MILLIS);
    for (VolumeRow row : List.copyOf(volumes.values())) {
      if (row.getManagerId() == managerId) {
        VolumeRow next = row.toBuilder().setEpoch(row.getEpoch() + (again ? 0 : 1)).build();
        volumes.put(row.getVolumeId(), next);
        fence(row.getVolumeId(), next.getEpoch());
        reply.addVolumes(
            AcquiredVolume.newBuilder().setVolume(next).setKeys(partitions.get(row.getVolumeId())));
      }
    }
    tableVersion++;
    return reply.build();
  }

  private void requireLastStart(int managerId, long nonce) throws WeftException {
    FakeManagerRows.requireLast(managerId, nonces.getOrDefault(managerId, List.of()), nonce);
  }

  /** The first epoch of a volume that was made after the manager's start; later ones stay. */
  synchronized AcquireVolumesReply acquire(int managerId, long nonce, long volumeId)
      throws WeftException {
    requireLastStart(managerId, nonce);
    VolumeRow row = volumes.get(volumeId);
    if (row == null || row.getManagerId() != managerId) {
      throw new WeftException(ErrorCode.NOT_FOUND, "no volume " + volumeId + " of this manager");
    }
    if (row.getEpoch() == 0) {
      row = row.toBuilder().setEpoch(1).build();
      volumes.put(volumeId, row);
      fence(volumeId, 1);
      tableVersion++;
    }
    return AcquireVolumesReply.newBuilder()
        .setLeaseMillis(LEASE_MILLIS)
        .addVolumes(AcquiredVolume.newBuilder().setVolume(row).setKeys(partitions.get(volumeId)))
        .build();
  }

  /**
   * Records a volume that is to be made, in the root volume and with the root volume's keys; its
   * manager carries it out.
   */
  public synchronized long createVolume(String path) {
    lastVolume++;
    addVolume(lastVolume, path);
    partitions.put(
        lastVolume,
        partitions.get(ROOT_VOLUME).toBuilder()
            .setPartitionId(lastVolume)
            .setFenceEpoch(0)
            .build());
    int manager = volumes.get(ROOT_VOLUME).getManagerId();
    change(
        lastVolume,
        row -> row.setManagerId(manager).setParentVolumeId(ROOT_VOLUME).setState(CREATING));
    return lastVolume;
  }

  /** Asks a volume to go; its manager says what becomes of it. */
  public synchronized void deleteVolume(long volumeId) {
    change(volumeId, row -> row.setState(DELETING));
  }

  /** The row of a volume; empty if there is none any more. */
  public synchronized Optional<VolumeRow> volume(long volumeId) {
    return Optional.ofNullable(volumes.get(volumeId));
  }

  /** The steps that managers told, in order. */
  public synchronized List<VolumeStepRequest> steps() {
    return List.copyOf(steps);
  }

  /** Steps of this kind get no answer and change nothing, until {@link #hearSteps}. */
  public synchronized void ignoreStep(VolumeStep step) {
    ignored.add(step);
  }

  public synchronized void hearSteps() {
    ignored.clear();
  }

  private void change(long volumeId, Consumer<VolumeRow.Builder> how) {
    VolumeRow.Builder row = volumes.get(volumeId).toBuilder();
    how.accept(row.setOperation(++lastOperation));
    volumes.put(volumeId, row.build());
    tableVersion++;
  }

  synchronized void step(VolumeStepRequest step) throws WeftException {
    if (ignored.contains(step.getStep())) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "the fake SysMgr does not want to hear this");
    }
    steps.add(step);
    VolumeRow row = volumes.get(step.getVolumeId());
    if (row == null || row.getOperation() != step.getOperation()) {
      return;
    }
    boolean ofParent =
        step.getStep() != VolumeStep.VOLUME_EMPTIED && step.getStep() != VolumeStep.NOT_EMPTIED;
    VolumeRow acting = ofParent ? volumes.get(row.getParentVolumeId()) : row;
    if (acting.getEpoch() != step.getEpoch() || acting.getManagerId() != step.getManagerId()) {
      throw new WeftException(ErrorCode.FENCED, "that is for another manager to say");
    }
    switch (step.getStep()) {
      case LINKED -> next(row, FORMATTED, ACTIVE);
      case LINK_REFUSED -> next(row, FORMATTED, null);
      case VOLUME_EMPTIED -> next(row, DELETING, EMPTIED);
      case NOT_EMPTIED -> next(row, DELETING, ACTIVE);
      case UNLINKED -> next(row, EMPTIED, null);
      default -> throw new WeftException(ErrorCode.INVALID_ARGUMENT, "no step: " + step);
    }
  }

  /**
   * @param to null: the row goes
   */
  private void next(VolumeRow row, VolumeState from, VolumeState to) {
    if (row.getState() != from) {
      return;
    }
    if (to == null) {
      volumes.remove(row.getVolumeId());
      partitions.remove(row.getVolumeId());
      partitionsVersion++;
    } else {
      volumes.put(row.getVolumeId(), row.toBuilder().setState(to).build());
    }
    tableVersion++;
  }

  /** The volume is to be recovered by the manager that joins next; or it is recovered. */
  public synchronized void recovery(long volumeId, boolean ordered) {
    volumes.computeIfPresent(volumeId, (id, row) -> FakeManagerRows.recovery(row, ordered));
    tableVersion++;
  }

  synchronized void formatted(long volumeId) {
    volumes.computeIfPresent(
        volumeId,
        (k, v) ->
            v.toBuilder()
                .setFormatted(true)
                .setState(v.getState() == CREATING ? FORMATTED : v.getState())
                .build());
    tableVersion++;
  }

  private int nodeId(JoinRequest request, int known, int next) throws WeftException {
    if (!request.getClusterId().isEmpty() && !request.getClusterId().equals(clusterId.value())) {
      throw new WeftException(
          ErrorCode.WRONG_CLUSTER,
          "this is cluster " + clusterId + ", the node belongs to " + request.getClusterId());
    }
    if (request.getNodeId() != 0 && request.getNodeId() != known) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "identity %s is node %d here, not %d"
              .formatted(request.getIdentity(), known, request.getNodeId()));
    }
    return known != 0 ? known : next;
  }

  private JoinReply.Builder joined(int id) {
    return JoinReply.newBuilder()
        .setNodeId(id)
        .setClusterId(clusterId.value())
        .setHeartbeatMillis(heartbeatMillis);
  }

  private void putPartition(PartitionKeys keys) {
    partitions.put(keys.getPartitionId(), keys);
    partitionsVersion++;
  }
}
