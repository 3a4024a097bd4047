package org.weft.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.simulator.workload.Intensity;

class TurnOrderTest {
  private static final int ROUNDS = 9;

  @Test
  void everyProfileMeetsEveryKindOfFaultsAndAThirdLosesPower() {
    Map<Intensity, Integer> seeds = new EnumMap<>(Intensity.class);
    Set<Turn> turns = new HashSet<>();
    int count = ROUNDS * Profile.values().length;
    for (int number = 0; number < count; number++) {
      Turn turn = TurnOrder.turn(1, number, Integer.MAX_VALUE);
      turns.add(turn);
      seeds.merge(turn.faults(), 1, Integer::sum);
    }
    assertEquals(count, turns.size());
    assertEquals(Set.of(Intensity.values()), seeds.keySet());
    assertEquals(count / 3, seeds.get(Intensity.POWER));
  }

  @Test
  void theCommandThatRepeatsATurnNamesItsFaults() {
    Turn turn = TurnOrder.turn(70, 0, Integer.MAX_VALUE);
    assertEquals("it/simulate --profile cluster --faults power --seed 70 --trace", turn.replay());
  }
}
