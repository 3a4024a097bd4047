package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import java.util.function.LongFunction;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.volume.Volume;

/** A new cluster that three managers have joined, for tests of rules that tell managers apart. */
final class ThreeManagers {
  static final ManagerId FIRST = new ManagerId(1);
  static final ManagerId SECOND = new ManagerId(2);
  static final ManagerId THIRD = new ManagerId(3);

  private final ConfigurationMachine machine = new ConfigurationMachine();

  private ThreeManagers(long incarnation, LongFunction<StartProof> proofs) {
    machine.apply(
        new Command.Format(
            new ClusterId("00112233445566778899aabbccddeeff"),
            "test",
            Secret.of(new byte[64]),
            "root",
            Secret.of(new byte[32]),
            1));
    for (ManagerId each : List.of(FIRST, SECOND, THIRD)) {
      machine.apply(
          new Command.Join(
              NodeKey.Kind.MANAGER,
              "m" + each,
              "",
              0,
              List.of(new Endpoint("127.0.0.1", 7310 + each.value())),
              "host-" + each,
              incarnation,
              0,
              false,
              1,
              "",
              proofs.apply(each.value()),
              NodeHistory.NONE));
    }
  }

  /** They say nothing of their past. */
  static ThreeManagers joined() {
    return new ThreeManagers(1, manager -> StartProof.NONE);
  }

  /**
   * They say which starts their directories know.
   *
   * @param proofs by the manager's number
   */
  static ThreeManagers joined(long incarnation, LongFunction<StartProof> proofs) {
    return new ThreeManagers(incarnation, proofs);
  }

  ConfigurationMachine machine() {
    return machine;
  }

  Volume root() {
    return machine.state().volumes().get(Volume.ROOT);
  }

  /** The first one has formatted the root volume, which it was given. */
  void formatted() {
    machine.apply(new Command.Formatted(FIRST, Volume.ROOT, root().epoch()));
  }

  /** The refusal's text. */
  static String refused(ErrorCode code, CommandResult answer) {
    CommandResult.Refused refused = assertInstanceOf(CommandResult.Refused.class, answer);
    assertEquals(code, refused.code(), refused::message);
    return refused.message();
  }
}
