package org.weft.hadoop.ends;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.hadoop.ChildJvm;
import org.weft.hadoop.SharedCluster;

/** Tasks that are interrupted at any moment of their lives. */
@Timeout(300)
class InterruptedAnywhereTest {
  private static final int MOMENTS = 20 * Integer.getInteger("weft.times", 1);
  private static final ChildJvm LITTLE = new ChildJvm("-Xmx256m");

  @Test
  void aTaskThatIsInterruptedAtAnyMomentLeavesNothingBehind() throws Exception {
    SharedCluster.get().makeHome();
    List<String> lines =
        LITTLE.run(InterruptedTasks.class, SharedCluster.get().uri(), String.valueOf(MOMENTS));
    assertTrue(lines.contains("no more"), lines::toString);
    assertFalse(lines.contains("failed 0"), "no moment met a call that waits");
  }
}
