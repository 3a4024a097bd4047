package org.weft.metadata;

import org.weft.client.stripe.base.StripeOptions;
import org.weft.metadata.backup.WarmOptions;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.scrub.ScrubOptions;
import org.weft.metadata.serving.care.CareOptions;

/**
 * What a manager takes of disk and memory.
 *
 * @param cache of all its volumes together
 * @param backups volumes of this manager get a backup where there is another manager (P 6.2)
 * @param repair of what OSDs held that are lost for good
 * @param scrub of the parity of files
 * @param warm how the live state of volumes is kept warm that it backs
 * @param stripes for putting files in order whose writers died
 */
public record ManagerTuning(
    JournalOptions journal,
    StripeOptions stripes,
    CacheLimits cache,
    boolean backups,
    RepairOptions repair,
    ScrubOptions scrub,
    WarmOptions warm) {
  /** A manager touches bytes only after a writer's death: it needs little memory for that. */
  public static final ManagerTuning DEFAULT =
      new ManagerTuning(
          JournalOptions.DEFAULT,
          StripeOptions.defaults().withMemory(8 << 20, 1 << 20, 32 << 20),
          CacheLimits.DEFAULT,
          false,
          RepairOptions.DEFAULT,
          ScrubOptions.DEFAULT,
          WarmOptions.DEFAULT);

  /** Without repair of what lost OSDs held, and without a scrub of parity. */
  public ManagerTuning(
      JournalOptions journal, StripeOptions stripes, CacheLimits cache, boolean backups) {
    this(
        journal, stripes, cache, backups, RepairOptions.OFF, ScrubOptions.OFF, WarmOptions.DEFAULT);
  }

  public ManagerTuning withCache(CacheLimits other) {
    return new ManagerTuning(journal, stripes, other, backups, repair, scrub, warm);
  }

  public ManagerTuning withBackups(boolean wanted) {
    return new ManagerTuning(journal, stripes, cache, wanted, repair, scrub, warm);
  }

  public ManagerTuning withRepair(RepairOptions other) {
    return new ManagerTuning(journal, stripes, cache, backups, other, scrub, warm);
  }

  public ManagerTuning withScrub(ScrubOptions other) {
    return new ManagerTuning(journal, stripes, cache, backups, repair, other, warm);
  }

  public ManagerTuning withWarm(WarmOptions other) {
    return new ManagerTuning(journal, stripes, cache, backups, repair, scrub, other);
  }

  /** How hard it cares for files. */
  CareOptions care() {
    return new CareOptions(repair, scrub);
  }
}
