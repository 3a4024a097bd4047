package org.weft.sysmgr.configuration;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.nfs.NfsSquash;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.nfs.NfsWatched;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.StepKind;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/** Draws commands that meet each other often: few identities, ports, nonces and epochs. */
public final class RandomCommands {
  private static final int IDENTITIES = 6;

  private final SplittableRandom random;

  /** Of its own, so that other commands are drawn as they were. */
  private final SplittableRandom usability;

  private final SplittableRandom exporting;

  private final SplittableRandom removing;

  private final SplittableRandom pausing;
  private long nowMillis = 1_000;

  /** The same seed draws the same commands. */
  public RandomCommands(long seed) {
    random = new SplittableRandom(seed);
    usability = new SplittableRandom(~seed);
    exporting = new SplittableRandom(seed ^ 0x4e4653);
    removing = new SplittableRandom(seed ^ 0x474f4e45);
    pausing = new SplittableRandom(seed ^ 0x50415553);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  /** Makes a cluster of random ids. */
  public Command.Format format() {
    byte[] id = new byte[16];
    random.nextBytes(id);
    byte[] key = new byte[32];
    random.nextBytes(key);
    return new Command.Format(
        new ClusterId(HexFormat.of().formatHex(id)),
        "test",
        Secret.of(key),
        "root",
        Secret.of(key),
        nowMillis++);
  }

  /** A command that may well be refused in this state. */
  Command draw(Configuration state) {
    nowMillis += random.nextInt(10);
    if (usability.nextInt(8) == 0) {
      return usability(state);
    }
    if (exporting.nextInt(8) == 0) {
      return exporting();
    }
    if (removing.nextInt(30) == 0) {
      return new Command.RemoveManager(new ManagerId(1 + removing.nextInt(IDENTITIES)), nowMillis);
    }
    if (pausing.nextInt(20) == 0) {
      return pausing.nextBoolean()
          ? new Command.PauseRepairs("why", "root", nowMillis, pausing.nextLong(100_000_000))
          : new Command.ResumeRepairs(pausing.nextInt(3) == 0 ? nowMillis : 0);
    }
    return switch (random.nextInt(20)) {
      case 0 -> format();
      case 1, 2, 3, 4 -> join(state, NodeKey.Kind.OSD);
      case 5, 6 -> join(state, NodeKey.Kind.MANAGER);
      case 7, 8 -> liveness(state);
      case 9, 10 -> acquireAll(state);
      case 11 ->
          new Command.Formatted(
              new ManagerId(1 + below(2)), new PartitionId(1 + below(2)), below(12));
      case 12, 13 -> createVolume();
      case 14 -> new Command.DeleteVolume(path(), random.nextInt(60), nowMillis);
      case 15 -> acquireOne(state);
      case 16, 17 -> readmit(state);
      default -> step(state);
    };
  }

  /** Of few paths and numbers, so that they meet each other. */
  private Command exporting() {
    String path = List.of("/", "/a", "/a/b", "/c", "relative", "/d/").get(exporting.nextInt(6));
    byte[] key = new byte[NfsTable.KEY_BYTES];
    exporting.nextBytes(key);
    return switch (exporting.nextInt(7)) {
      case 0, 1 ->
          new Command.PutNfsExport(
              path,
              exporting.nextBoolean(),
              exporting.nextInt(3) == 0 ? Optional.empty() : Optional.of(List.of("10.0.0.0/8")),
              exporting.nextBoolean() ? Optional.empty() : Optional.of(exporting.nextBoolean()),
              exporting.nextBoolean()
                  ? Optional.empty()
                  : Optional.of(NfsSquash.values()[exporting.nextInt(3)]),
              exporting.nextBoolean() ? Optional.empty() : Optional.of(exporting.nextBoolean()),
              exporting.nextBoolean() ? Optional.empty() : Optional.of(exporting.nextBoolean()),
              Secret.of(key));
      case 2 -> new Command.RemoveNfsExport(path);
      case 3 ->
          new Command.TakeNfsAddresses(
              exporting.nextInt(4), List.of(server(), server()), nowMillis);
      case 4 ->
          new Command.WatchNfsClients(
              exporting.nextInt(8),
              new TreeMap<>(java.util.Map.of(server().toString(), exporting.nextLong(4))),
              List.of(watched()),
              List.of(watched(), watched()),
              nowMillis);
      case 5 ->
          new Command.PutNfsGroups(
              List.of("alice", "bob").get(exporting.nextInt(2)),
              List.of("users", "ops").subList(0, exporting.nextInt(3)));
      default ->
          new Command.PutNfsId(
              exporting.nextBoolean(),
              List.of(0L, 7L, 0xffff_ffffL).get(exporting.nextInt(3)),
              List.of("", "alice", "bob").get(exporting.nextInt(3)));
    };
  }

  private Endpoint server() {
    return new Endpoint("10.0.0." + exporting.nextInt(3), 7350);
  }

  private NfsWatched watched() {
    return new NfsWatched(server(), "10.1.0." + exporting.nextInt(3), "host");
  }

  /** Mostly of the start that has joined. */
  private Command usability(Configuration state) {
    OsdId id = new OsdId(1 + usability.nextInt(IDENTITIES));
    OsdNode osd = state.osds().get(id);
    boolean other = osd == null || usability.nextInt(6) == 0;
    long incarnation = other ? usability.nextInt(6) : osd.node().incarnation();
    TreeSet<ManagerId> managers = new TreeSet<>(List.of(new ManagerId(1 + usability.nextInt(3))));
    return usability.nextBoolean()
        ? new Command.SetUsable(id, incarnation)
        : new Command.SetUnusable(id, incarnation, managers, "no route", nowMillis);
  }

  private String path() {
    return List.of("/a", "/b", "/a/b", "/a/b/c", "/", "a", "/d/")
        .get(random.nextInt(below(4) == 0 ? 7 : 4));
  }

  private Command createVolume() {
    byte[] key = new byte[32];
    random.nextBytes(key);
    return new Command.CreateVolume(
        path(),
        1 + below(3),
        below(3),
        1,
        below(8) == 0 ? "other" : Configuration.DEFAULT_BLADE_SET,
        Secret.of(key),
        random.nextInt(60),
        nowMillis);
  }

  private Volume anyVolume(Configuration state) {
    List<Volume> volumes = List.copyOf(state.volumes().values());
    return volumes.isEmpty() ? Volume.root("default") : volumes.get(below(volumes.size()));
  }

  private Command acquireAll(Configuration state) {
    ManagerId manager = new ManagerId(1 + below(3));
    return new Command.Acquire(
        manager, incarnation(state, manager), random.nextInt(40), nowMillis, Optional.empty());
  }

  /** Mostly the one that has joined. */
  private long incarnation(Configuration state, ManagerId id) {
    ManagerNode manager = state.managers().get(id);
    return manager == null || below(6) == 0 ? below(6) : manager.node().incarnation();
  }

  private Command acquireOne(Configuration state) {
    Volume volume = anyVolume(state);
    ManagerId owner = volume.owner().orElse(new ManagerId(1));
    ManagerNode manager = state.managers().get(owner);
    List<Long> nonces = manager == null ? List.of() : manager.nonces();
    long nonce = nonces.isEmpty() || below(4) == 0 ? 77 : nonces.get(nonces.size() - 1);
    return new Command.Acquire(
        owner, incarnation(state, owner), nonce, nowMillis, Optional.of(volume.id()));
  }

  /** Mostly one that the managers could say in this state. */
  private Command step(Configuration state) {
    Volume volume = anyVolume(state);
    if (volume.stage() == VolumeStage.CREATING) {
      return new Command.Formatted(
          volume.owner().orElseThrow(), volume.id(), volume.epoch() + (below(5) == 0 ? 1 : 0));
    }
    StepKind kind = StepKind.values()[below(StepKind.values().length)];
    Volume acting =
        kind.ofParent() ? volume.life().parent().map(state.volumes()::get).orElse(volume) : volume;
    return new Command.Step(
        acting.owner().orElse(new ManagerId(1)),
        volume.id(),
        volume.life().operation() + (below(6) == 0 ? 1 : 0),
        acting.epoch() + (below(6) == 0 ? 1 : 0),
        kind,
        ErrorCode.EXISTS,
        "taken",
        nowMillis);
  }

  /** Mostly of an OSD as it is. */
  private Command readmit(Configuration state) {
    Volume volume = anyVolume(state);
    OsdId osd = new OsdId(1 + below(IDENTITIES));
    OsdNode node = state.osds().get(osd);
    return new Command.Readmit(
        volume.owner().orElse(new ManagerId(1)),
        volume.id(),
        volume.epoch() + (below(6) == 0 ? 1 : 0),
        osd,
        node == null ? 1 : node.node().incarnation() + (below(6) == 0 ? 1 : 0),
        node == null ? 1 : node.quarantine().number() + (below(6) == 0 ? 1 : 0));
  }

  private Command join(Configuration state, NodeKey.Kind kind) {
    String own = state.cluster().map(cluster -> cluster.id().value()).orElse("");
    String cluster = below(10) == 0 ? "f".repeat(32) : below(2) == 0 ? own : "";
    List<Endpoint> addresses = new ArrayList<>();
    for (int i = 0; i <= below(2); i++) {
      addresses.add(new Endpoint("host", 1 + below(12)));
    }
    return Joins.of(
        kind,
        kind.word() + "-identity-" + below(IDENTITIES),
        cluster,
        below(3) == 0 ? 1 + below(IDENTITIES) : 0,
        addresses,
        "host-" + below(3),
        below(6),
        below(1000),
        below(4) == 0,
        nowMillis);
  }

  /** No OSD knows of the end of one that has not begun. */
  private static long lastQuarantine(Configuration state, NodeKey node) {
    OsdNode osd = node.kind() == NodeKey.Kind.OSD ? state.osds().get(node.osdId()) : null;
    return osd == null ? 0 : osd.quarantine().number();
  }

  /** Any volumes, of any quarantine. */
  private OpenVolumes open(Configuration state) {
    SortedSet<PartitionId> volumes = new TreeSet<>();
    for (int i = below(4); i > 0; i--) {
      volumes.add(anyVolume(state).id());
    }
    return new OpenVolumes(below(4), volumes);
  }

  private Command liveness(Configuration state) {
    SortedMap<NodeKey, Command.Judgement> judgements = new TreeMap<>();
    for (int i = 0; i <= below(3); i++) {
      NodeKey.Kind kind = below(3) == 0 ? NodeKey.Kind.MANAGER : NodeKey.Kind.OSD;
      NodeKey node = new NodeKey(kind, 1 + below(IDENTITIES));
      Liveness[] all = Liveness.values();
      judgements.put(
          node,
          new Command.Judgement(
              node,
              below(6),
              all[below(all.length)],
              below(2) == 0,
              Math.max(0, state.partitionsVersion() - below(2)),
              Math.min(below(3), lastQuarantine(state, node)),
              open(state),
              ""));
    }
    return new Command.SetLiveness(List.copyOf(judgements.values()), nowMillis);
  }
}
