package org.weft.sysmgr.configuration.command;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.balance.BalancePlan;
import org.weft.sysmgr.bladeset.BladeSetChange;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.nfs.NfsSquash;
import org.weft.sysmgr.configuration.nfs.NfsWatched;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.StepKind;

/** One entry of the log. Every random value and every time in it was drawn by the leader. */
public sealed interface Command {
  /** Makes the cluster; changes nothing where there is one already. */
  record Format(
      ClusterId clusterId,
      String clusterName,
      Secret joinToken,
      String superuser,
      Secret rootKey,
      long nowMillis)
      implements Command {}

  /**
   * A node joins, for the first time or again.
   *
   * @param clusterId what the node believes; empty on its first join
   * @param nodeId what the node believes; 0 on its first join
   * @param storeFailure why an OSD's store takes no changes any more; empty: it takes them
   * @param proof what it says of its past
   * @param heard what the leader has heard of its last start
   * @param rack of an OSD, the fault domain above its host; empty: none is known
   * @param bladeSet that an OSD joins which joins for the first time; empty: the default
   */
  record Join(
      NodeKey.Kind kind,
      String identity,
      String clusterId,
      int nodeId,
      List<Endpoint> addresses,
      String host,
      long incarnation,
      long capacityBytes,
      boolean unclean,
      long nowMillis,
      String storeFailure,
      StartProof proof,
      NodeHistory heard,
      String rack,
      String bladeSet)
      implements Command {
    public Join {
      addresses = List.copyOf(addresses);
    }

    /** Of no known rack, into the default BladeSet. */
    public Join(
        NodeKey.Kind kind,
        String identity,
        String clusterId,
        int nodeId,
        List<Endpoint> addresses,
        String host,
        long incarnation,
        long capacityBytes,
        boolean unclean,
        long nowMillis,
        String storeFailure,
        StartProof proof,
        NodeHistory heard) {
      this(
          kind,
          identity,
          clusterId,
          nodeId,
          addresses,
          host,
          incarnation,
          capacityBytes,
          unclean,
          nowMillis,
          storeFailure,
          proof,
          heard,
          "",
          "");
    }
  }

  /** What happened that no other command tells of. */
  record NoteEvents(List<Event> events) implements Command {
    public NoteEvents {
      events = List.copyOf(events);
    }
  }

  /** What the leader has heard of nodes; void for another start of a node. */
  record NoteHistories(SortedMap<NodeKey, NodeHistory> histories) implements Command {
    public NoteHistories {
      histories = Collections.unmodifiableSortedMap(new TreeMap<>(histories));
    }
  }

  /** The leader's judgement of nodes, one of each at most. */
  record SetLiveness(List<Judgement> judgements, long nowMillis) implements Command {
    public SetLiveness {
      judgements = List.copyOf(judgements);
      if (judgements.stream().map(Judgement::node).distinct().count() != judgements.size()) {
        throw new IllegalArgumentException("two judgements of one node: " + judgements);
      }
    }
  }

  /**
   * What the leader thinks of one node; void if the node has another incarnation by now.
   *
   * @param stopped with DOWN: it said itself that it stops
   * @param partitionsVersion with UP or QUARANTINED, of an OSD: what it has stored
   * @param quarantine with UP, of an OSD: the last one of whose end it knows
   * @param open with QUARANTINED, of an OSD: what it says of the clients it serves
   * @param storeFailure with DOWN, of an OSD: why its store takes no changes any more; empty: it
   *     did not say so
   */
  record Judgement(
      NodeKey node,
      long incarnation,
      Liveness liveness,
      boolean stopped,
      long partitionsVersion,
      long quarantine,
      OpenVolumes open,
      String storeFailure) {
    /** Of a node that was never in quarantine, and has nothing to say against its store. */
    public Judgement(
        NodeKey node,
        long incarnation,
        Liveness liveness,
        boolean stopped,
        long partitionsVersion) {
      this(node, incarnation, liveness, stopped, partitionsVersion, 0, OpenVolumes.NONE, "");
    }
  }

  /** A manager has compared an OSD in quarantine with its volume's maps. */
  record Readmit(
      ManagerId manager,
      PartitionId volume,
      long epoch,
      OsdId osd,
      long incarnation,
      long quarantine)
      implements Command {}

  /**
   * Managers cannot use an OSD that is heard (P 5.8); void if it has started again since.
   *
   * @param why a sentence for people
   */
  record SetUnusable(
      OsdId osd, long incarnation, SortedSet<ManagerId> managers, String why, long nowMillis)
      implements Command {
    public SetUnusable {
      managers = Collections.unmodifiableSortedSet(new TreeSet<>(managers));
    }
  }

  /** Managers can use it again; void if it has started again since. */
  record SetUsable(OsdId osd, long incarnation) implements Command {}

  /**
   * A manager has started, or takes up a volume that was made after its start.
   *
   * @param incarnation of the process that asks, as it has joined
   * @param nonce drawn by that process
   * @param volume that volume; empty for a start
   */
  record Acquire(
      ManagerId manager, long incarnation, long nonce, long nowMillis, Optional<PartitionId> volume)
      implements Command {}

  /**
   * The primary of a volume names its backup.
   *
   * @param number grows with each such word within the epoch
   * @param backup empty: there is none from now on
   */
  record SetBackup(
      ManagerId manager, PartitionId volume, long epoch, long number, Optional<ManagerId> backup)
      implements Command {}

  /**
   * The backup of a volume becomes its primary, in a new epoch; void if the row says otherwise by
   * then. Either the primary asks for it, or its lease is over.
   */
  record HandOver(PartitionId volume, long epoch, ManagerId manager, ManagerId backup)
      implements Command {}

  /** A volume is to be served by another manager. */
  record MoveVolume(String path, ManagerId manager, long nowMillis) implements Command {}

  /** The move of a volume to that manager is given up. */
  record EndMove(PartitionId volume, ManagerId target, String failure) implements Command {}

  /** The volumes of a manager are to move away, or no more so. */
  record DrainManager(ManagerId manager, boolean draining) implements Command {}

  /** A manager that is down, and named in no volume's row, does not come back. */
  record RemoveManager(ManagerId manager, long nowMillis) implements Command {}

  /**
   * Nothing is to be rebuilt or drained for a while.
   *
   * @param user of the operator that asked for it; to show
   */
  record PauseRepairs(String reason, String user, long nowMillis, long forMillis)
      implements Command {}

  /**
   * Rebuilds and drains go on.
   *
   * @param endMillis of the pause whose time is over, and of no other; {@link #ANY}: of any
   */
  record ResumeRepairs(long endMillis) implements Command {
    public static final long ANY = 0;
  }

  /**
   * An OSD that is down does not come back.
   *
   * @param force also while others of its BladeSet are not up
   * @param clearedDrain number of the drain since which nothing is left on it, as the managers of
   *     all volumes of its BladeSet said. It is {@link
   *     org.weft.sysmgr.configuration.state.PlacementOrders#NO_DRAIN} if they did not
   */
  record RemoveOsd(OsdId osd, boolean force, long clearedDrain) implements Command {}

  /** What an OSD holds is to go to others, or no more so. */
  record DrainOsd(OsdId osd, boolean draining) implements Command {}

  /** BladeSets are changed. */
  record ChangeBladeSet(BladeSetChange change) implements Command {}

  /** An operator starts, pauses, resumes or stops the balance of a BladeSet. */
  record SetBalance(String bladeSet, Balance.Action action, int bandPpm, long nowMillis)
      implements Command {}

  /**
   * What the leader measured when a round of a balance was over.
   *
   * @param number of the balance; void if there is another one, or if that round is not the last
   * @param afterRound 0: before the first one
   */
  record PlanBalance(
      String bladeSet, long number, long afterRound, BalancePlan plan, long nowMillis)
      implements Command {}

  /** A volume's root directory is in its manager's journal. */
  record Formatted(ManagerId manager, PartitionId volume, long epoch) implements Command {}

  /**
   * A volume whose journal is lost is to be recovered from its OSDs.
   *
   * @param manager empty: one that takes volumes
   * @param reason why also if a manager is heard that may have the journal; empty: not then
   * @param journalLost its owner has said that it has none
   * @param expectedEpoch of the volume: the lease of its owner in that epoch is over; 0: it has
   *     never been served
   */
  record RecoverVolume(
      String path,
      Optional<ManagerId> manager,
      String reason,
      boolean journalLost,
      long nowMillis,
      long expectedEpoch)
      implements Command {}

  /** A volume's manager has recovered it from its OSDs. */
  record Recovered(ManagerId manager, PartitionId volume, long epoch) implements Command {}

  /**
   * A volume is to be made.
   *
   * @param key of its partition
   * @param nonce drawn by the client; the same one again finds its operation
   * @param avoided managers that get it only where no other can: they do not reach all OSDs
   */
  record CreateVolume(
      String path,
      int maxParity,
      int defaultDataUnits,
      int defaultParityUnits,
      String bladeSet,
      Secret key,
      long nonce,
      long nowMillis,
      SortedSet<ManagerId> avoided)
      implements Command {
    public CreateVolume {
      avoided = Collections.unmodifiableSortedSet(new TreeSet<>(avoided));
    }

    /** No manager is to be avoided. */
    public CreateVolume(
        String path,
        int maxParity,
        int defaultDataUnits,
        int defaultParityUnits,
        String bladeSet,
        Secret key,
        long nonce,
        long nowMillis) {
      this(
          path,
          maxParity,
          defaultDataUnits,
          defaultParityUnits,
          bladeSet,
          key,
          nonce,
          nowMillis,
          Collections.emptySortedSet());
    }
  }

  /** A volume is to go. */
  record DeleteVolume(String path, long nonce, long nowMillis) implements Command {}

  /**
   * A process wants to become a member of SysMgr.
   *
   * @param memberId 0: it has no id yet
   * @param rpc where daemons, clients and tools reach it
   * @param log where other members reach it
   */
  record EnlistMember(int memberId, Endpoint rpc, Endpoint log) implements Command {}

  /**
   * A candidate is to be added to SysMgr's members, or a member taken away.
   *
   * @param nonce drawn by the client; the same one again finds its change
   */
  record ChangeMember(long nonce, boolean removal, int memberId, long nowMillis)
      implements Command {}

  /**
   * The members that the log has.
   *
   * @param nonce of the change that ends with this; 0: none
   * @param failure why it was given up; empty: it is done
   */
  record SettleMembers(List<Member> members, long nonce, String failure, long nowMillis)
      implements Command {
    public SettleMembers {
      members = List.copyOf(members);
    }
  }

  /** Takes over a configuration that was restored; changes nothing where there is a cluster. */
  record Restore(Configuration restored) implements Command {}

  /**
   * A directory is exported by NFS, or its export is changed; what is empty stays, or is as usual.
   *
   * @param isNew there must be none of that path; else there must be one
   * @param clients addresses or ranges
   * @param manageGids members of earlier releases do not understand one that says so or not
   * @param handleKey signs handles from now on, where no key does yet
   */
  record PutNfsExport(
      String path,
      boolean isNew,
      Optional<List<String>> clients,
      Optional<Boolean> readOnly,
      Optional<NfsSquash> squash,
      Optional<Boolean> insecure,
      Optional<Boolean> manageGids,
      Secret handleKey)
      implements Command {
    public PutNfsExport {
      clients = clients.map(List::copyOf);
    }
  }

  /** A directory is exported by NFS no more. */
  record RemoveNfsExport(String path) implements Command {}

  /**
   * A user or group has a number in NFS.
   *
   * @param number unsigned, of 32 bits
   * @param name empty: what has the number has it no more
   */
  record PutNfsId(boolean group, long number, String name) implements Command {}

  /**
   * A user is in these groups in NFS, where clients are not asked.
   *
   * @param groups names of all of them; none: the table says nothing of the user any more
   */
  record PutNfsGroups(String user, List<String> groups) implements Command {
    public PutNfsGroups {
      groups = List.copyOf(groups);
    }
  }

  /**
   * A gateway of NFS has begun to serve addresses.
   *
   * @param claim drawn for this
   */
  record TakeNfsAddresses(long claim, List<Endpoint> servers, long nowMillis) implements Command {
    public TakeNfsAddresses {
      servers = List.copyOf(servers);
    }
  }

  /**
   * Hosts have locks by way of a gateway, or have none any more.
   *
   * @param number grows with each change of the gateway
   * @param claims of the gateway, by address as its text
   * @param removed before others are added
   */
  record WatchNfsClients(
      long number,
      SortedMap<String, Long> claims,
      List<NfsWatched> removed,
      List<NfsWatched> added,
      long nowMillis)
      implements Command {
    public WatchNfsClients {
      claims = Collections.unmodifiableSortedMap(new TreeMap<>(claims));
      removed = List.copyOf(removed);
      added = List.copyOf(added);
    }
  }

  /**
   * A manager has carried out its part of a creation or deletion.
   *
   * @param epoch of the volume for which the manager acts: the volume itself or the one above
   * @param error what was wrong, with LINK_REFUSED and NOT_EMPTIED; else INTERNAL
   */
  record Step(
      ManagerId manager,
      PartitionId volume,
      long operation,
      long epoch,
      StepKind kind,
      ErrorCode error,
      String message,
      long nowMillis)
      implements Command {}
}
