package org.weft.metadata.readmission;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.objects.OsdPort;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;

/**
 * Settles grants that have ended: asks their OSDs now and then for a checkpoint (P 5.9). A
 * checkpoint counts only if the OSD was in the same start before and after it, and SysMgr knows
 * that this start lost nothing. Confined to the volume's thread.
 */
public final class Settling {
  /** What SysMgr knows of OSDs. */
  public interface Starts {
    /** The start of an OSD that is up; empty for any other. */
    OptionalLong wholeIncarnation(OsdId osd);

    /** True of an OSD that was removed from the cluster. */
    boolean isRemoved(OsdId osd);
  }

  private static final Logger LOG = LoggerFactory.getLogger(Settling.class);

  /** As often as OSDs make checkpoints by themselves. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Grants in one record. */
  private static final int MAX_PER_RECORD = 1_000;

  private final UnsettledGrants grants;
  private final OsdPort port;
  private final Starts starts;
  private final Consumer<List<Lsn>> journal;
  private final Set<OsdId> asked = new HashSet<>();
  private Optional<Long> lastNanos = Optional.empty();

  /**
   * @param port completes on the volume's thread
   * @param journal receives the grants that are settled
   */
  public Settling(
      UnsettledGrants grants, OsdPort port, Starts starts, Consumer<List<Lsn>> journal) {
    this.grants = grants;
    this.port = port;
    this.starts = starts;
    this.journal = journal;
  }

  /** To be called now and then. */
  public void look(long nowNanos) {
    if (lastNanos.isPresent() && nowNanos - lastNanos.get() < PAUSE_NANOS) {
      return;
    }
    lastNanos = Optional.of(nowNanos);
    // All of them: files are closed faster than a fixed number of them would be forgotten.
    List<Lsn> settled = grants.settled();
    for (int from = 0; from < settled.size(); from += MAX_PER_RECORD) {
      journal.accept(settled.subList(from, Math.min(from + MAX_PER_RECORD, settled.size())));
    }
    for (OsdId osd : grants.osds()) {
      if (starts.isRemoved(osd)) {
        // It never comes back, and so nothing that it has can be compared with what it may lack.
        grants.durableUpTo(osd, grants.lastPlace());
        continue;
      }
      OptionalLong incarnation = starts.wholeIncarnation(osd);
      if (incarnation.isPresent() && asked.add(osd)) {
        ask(osd, incarnation.getAsLong());
      }
    }
  }

  private void ask(OsdId osd, long incarnation) {
    long before = grants.lastPlace();
    CompletionStage<Boolean> durable =
        port.status(osd)
            .thenCompose(
                first ->
                    port.checkpoint(osd)
                        .thenCompose(done -> port.status(osd))
                        .thenApply(
                            last ->
                                first.incarnation() == incarnation
                                    && last.incarnation() == incarnation));
    var unused =
        durable.whenComplete(
            (same, failure) -> {
              asked.remove(osd);
              if (failure != null) {
                LOG.debug("OSD {} made no checkpoint: {}", osd, failure.toString());
              } else if (same
                  && starts.wholeIncarnation(osd).equals(OptionalLong.of(incarnation))) {
                grants.durableUpTo(osd, before);
              }
            });
  }
}
