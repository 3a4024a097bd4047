package org.weft.sysmgr.configuration;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;

/** Draws commands that meet each other often: few identities, ports, nonces and epochs. */
final class RandomCommands {
  private static final int IDENTITIES = 6;

  private final SplittableRandom random;
  private long nowMillis = 1_000;

  RandomCommands(long seed) {
    random = new SplittableRandom(seed);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  Command.Format format() {
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
    return switch (random.nextInt(12)) {
      case 0 -> format();
      case 1, 2, 3, 4 -> join(state, NodeKey.Kind.OSD);
      case 5, 6 -> join(state, NodeKey.Kind.MANAGER);
      case 7, 8 -> liveness(state);
      case 9, 10 -> new Command.Acquire(new ManagerId(1 + below(3)), random.nextInt(40), nowMillis);
      default ->
          new Command.Formatted(
              new ManagerId(1 + below(2)), new PartitionId(1 + below(2)), below(12));
    };
  }

  private Command join(Configuration state, NodeKey.Kind kind) {
    String own = state.cluster().map(cluster -> cluster.id().value()).orElse("");
    String cluster = below(10) == 0 ? "f".repeat(32) : below(2) == 0 ? own : "";
    List<Endpoint> addresses = new ArrayList<>();
    for (int i = 0; i <= below(2); i++) {
      addresses.add(new Endpoint("host", 1 + below(12)));
    }
    return new Command.Join(
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
              Math.max(0, state.partitionsVersion() - below(2))));
    }
    return new Command.SetLiveness(List.copyOf(judgements.values()), nowMillis);
  }
}
