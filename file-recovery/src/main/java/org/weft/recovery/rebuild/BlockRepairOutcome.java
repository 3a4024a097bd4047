package org.weft.recovery.rebuild;

import java.util.List;

/**
 * What became of damaged blocks of one component. Offsets are of blocks in the component.
 *
 * @param repaired blocks that hold what the others say again, on stable storage
 * @param lost blocks that too few of the others can give: they read as damaged, as before
 * @param contradicted blocks in whose place the others do not agree: nothing was written there
 */
public record BlockRepairOutcome(long repaired, List<Long> lost, List<Long> contradicted) {
  public BlockRepairOutcome {
    lost = List.copyOf(lost);
    contradicted = List.copyOf(contradicted);
  }
}
