package org.weft.metadata;

import org.weft.client.stripe.StripeOptions;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.objects.CacheLimits;
import org.weft.metadata.repair.RepairOptions;

/**
 * What a manager takes of disk and memory.
 *
 * @param cache of all its volumes together
 * @param backups volumes of this manager get a backup where there is another manager (P 6.2)
 * @param repair of what OSDs held that are lost for good
 * @param stripes for putting files in order whose writers died
 */
public record ManagerTuning(
    JournalOptions journal,
    StripeOptions stripes,
    CacheLimits cache,
    boolean backups,
    RepairOptions repair) {
  /** A manager touches bytes only after a writer's death: it needs little memory for that. */
  public static final ManagerTuning DEFAULT =
      new ManagerTuning(
          JournalOptions.DEFAULT,
          StripeOptions.defaults().withMemory(8 << 20, 1 << 20, 32 << 20),
          CacheLimits.DEFAULT,
          false,
          RepairOptions.DEFAULT);

  /** Without repair of what lost OSDs held. */
  public ManagerTuning(
      JournalOptions journal, StripeOptions stripes, CacheLimits cache, boolean backups) {
    this(journal, stripes, cache, backups, RepairOptions.OFF);
  }

  public ManagerTuning withCache(CacheLimits other) {
    return new ManagerTuning(journal, stripes, other, backups, repair);
  }

  public ManagerTuning withBackups(boolean wanted) {
    return new ManagerTuning(journal, stripes, cache, wanted, repair);
  }

  public ManagerTuning withRepair(RepairOptions other) {
    return new ManagerTuning(journal, stripes, cache, backups, other);
  }
}
