package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.cluster.MemberChange;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;

/** A process that joins SysMgr dies in the midst of it (P 6.2a). */
class JoiningMemberTest {
  private static final int MEMBERS = 3;
  private static final long LONG_MILLIS = 120_000;

  /** Less than an addition may take of which nothing is known. */
  private static final long SOON_MILLIS = 45_000;

  @Test
  void newProcessJoinsWhileADeadMembersNumberIsAdded() throws Exception {
    for (long seed = 1; seed <= 3; seed++) {
      World world =
          Stage.boot(WorldOptions.of(seed).withSysmgrMembers(MEMBERS).withVotingMembers()).world();
      assertTrue(world.memberReplacements().replace(world.sysmgrs().get(MEMBERS - 1)));
      world.await("an addition is noted", LONG_MILLIS, () -> addition(world).isPresent());
      int number = addition(world).orElseThrow().member().memberId();
      world.memberReplacements().startAnother();
      world.await(
          "another one is a member", SOON_MILLIS, () -> world.memberReplacements().isOver());
      List<Integer> members = known(world).members().stream().map(Member::memberId).toList();
      assertEquals(List.of(1, 2, number + 1), members);
      assertEquals(Optional.<MemberChange>empty(), known(world).change());
      world.requireNoAlarm();
    }
  }

  private static Optional<MemberChange> addition(World world) {
    return known(world).change().filter(change -> !change.removal());
  }

  private static SysmgrMembers known(World world) {
    return world.configuration().map(all -> all.sysmgr()).orElse(SysmgrMembers.NONE);
  }
}
