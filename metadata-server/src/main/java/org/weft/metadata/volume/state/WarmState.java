package org.weft.metadata.volume.state;

import java.util.List;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.protocol.id.Lsn;

/**
 * The live state of a volume as its backup keeps it (P 6.3a). The same effects are applied in the
 * same order as when the journal is opened, so it is what an opening would make. Leases in it do
 * not count before it is taken over. What lies on OSDs is not in it, but for which copies lag
 * there.
 *
 * <p>Used by one thread at a time.
 */
public final class WarmState {
  /** Leases are of the manager that serves. */
  private static final long NO_TIME = 0;

  /** It gets no attributes and no blocks. */
  private static final int META_COPIES = 1;

  private final String superuser;
  private final MetadataCache lagging = new MetadataCache(META_COPIES, CacheLimits.DEFAULT);
  private final VolumeState state;

  /**
   * Nothing was journalled yet.
   *
   * @param superuser of the volume
   */
  public WarmState(String superuser) {
    this.superuser = superuser;
    this.state = new VolumeState(lagging, superuser);
  }

  /** The state that a snapshot tells of. */
  public static WarmState of(String superuser, List<LiveEffect> snapshot) {
    WarmState state = new WarmState(superuser);
    state.lagging.restore(snapshot);
    snapshot.forEach(effect -> state.state.applyLive(effect, Lsn.ZERO, NO_TIME));
    return state;
  }

  /** Applies what is live of the next record. */
  public void apply(JournalRecord record) {
    for (var effect : record.effects()) {
      if (effect instanceof LiveEffect live) {
        lagging.restore(List.of(live));
      }
    }
    state.applyLive(record, NO_TIME);
  }

  /** True if the state is that of a volume with this superuser. */
  public boolean isOf(VolumeSettings settings) {
    return superuser.equals(settings.superuser());
  }

  /** The whole live state, as a snapshot in the journal has it. */
  public List<LiveEffect> snapshot() {
    return state.snapshot();
  }

  /** Copies of metadata that lag: what redo begins with. */
  public List<LiveEffect> laggingState() {
    return lagging.laggingState();
  }

  /** This must not be used any more. */
  public VolumeState handOver(MetadataCache cache) {
    state.moveTo(cache);
    return state;
  }
}
