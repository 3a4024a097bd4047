package org.weft.metadata.serving;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.backup.ReplicatedJournal;
import org.weft.metadata.backup.WarmCheck;
import org.weft.metadata.backup.WarmVolume;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.JournalPlace;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.VolumeContext;
import org.weft.metadata.volume.state.WarmState;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.seam.Environment;

/**
 * Where a volume's journal and live state come from when it is taken up (P 6.3a). They come from
 * the journal's files, or from what this manager kept warm as the backup. Used by one thread at a
 * time.
 */
public final class VolumeOpening {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeOpening.class);

  private final VolumeAssignment assignment;
  private final JournalPlace place;
  private final Environment environment;
  private final Consumer<Boolean> opened;
  private Optional<WarmVolume> warm;
  private Optional<JournalLog> open = Optional.empty();

  /**
   * @param warm what is in memory of the volume; closed with what is opened, or by {@link #leave}
   * @param opened is called when it is open, with whether it uses the warm state
   */
  public VolumeOpening(
      VolumeAssignment assignment,
      JournalPlace place,
      Optional<WarmVolume> warm,
      Environment environment,
      Consumer<Boolean> opened) {
    this.assignment = assignment;
    this.place = place;
    this.warm = warm;
    this.environment = environment;
    this.opened = opened;
  }

  JournalPlace place() {
    return place;
  }

  /**
   * What a volume begins with.
   *
   * @param contents what redo lays over the OSDs; without a warm state the live state, too
   * @param warm the live state
   * @param compared in tests: the contents that must give the same state
   */
  record Opened(
      ReplicatedJournal journal,
      JournalContents contents,
      Optional<WarmState> warm,
      Optional<WarmVolume.Compared> compared) {
    /**
     * The volume as of the journal's end, at the beginning of an epoch.
     *
     * @param limits of the cache, which is empty
     */
    VolumeMachine machine(
        VolumeContext context, MetadataCache cache, CacheLimits limits, long epoch, Now now) {
      if (warm.isPresent()) {
        VolumeMachine machine = new VolumeMachine(context, cache, warm.get());
        machine.takeOver(epoch, now);
        compared.ifPresent(
            with -> {
              VolumeMachine cold =
                  new VolumeMachine(
                      context, new MetadataCache(context.settings().metaCopies(), limits));
              cold.recover(with.cold(), epoch, now);
              compare(with.check(), machine, cold);
            });
        return machine;
      }
      VolumeMachine machine = new VolumeMachine(context, cache);
      machine.recover(contents, epoch, now);
      return machine;
    }
  }

  private static void compare(WarmCheck check, VolumeMachine warm, VolumeMachine cold) {
    try {
      check.requireEqual(warm, cold);
    } catch (IllegalStateException e) {
      LOG.error("a volume that goes on with its warm state is not what its journal makes", e);
      throw e;
    }
  }

  /** Once. Blocks, as {@link FileJournal#open} does, unless there is a warm state. */
  Opened open(ClusterId cluster) throws IOException {
    JournalIdentity identity = new JournalIdentity(assignment.settings().volume(), cluster);
    if (warm.isPresent()
        && (assignment.recovers() || !warm.get().state().isOf(assignment.settings()))) {
      LOG.warn("volume {} is not what its warm state is of, and is read", identity.volume());
      leaveWarm();
    }
    if (warm.isEmpty()) {
      FileJournal read = place.open(identity, environment);
      ReplicatedJournal journal = replicated(read);
      opened.accept(false);
      return new Opened(journal, read.contents(), Optional.empty(), Optional.empty());
    }
    // Refused if a newer copy has been begun here.
    var unused = place.folder().open();
    WarmVolume taken = warm.get();
    ReplicatedJournal journal = replicated(taken.journal());
    warm = Optional.empty();
    LOG.info(
        "volume {} goes on with its warm state, which ends at {}",
        identity.volume(),
        taken.lastLsn());
    opened.accept(true);
    return new Opened(journal, taken.contents(), Optional.of(taken.state()), taken.compared());
  }

  private ReplicatedJournal replicated(FileJournal journal) {
    ReplicatedJournal replicated = new ReplicatedJournal(journal);
    open = Optional.of(replicated);
    return replicated;
  }

  /**
   * Closes what was opened, and what is in memory if that was not opened. Blocks.
   *
   * @param closed the journal, if it is closed already; null: none was there to close
   */
  void leave(JournalLog closed) throws IOException {
    leaveWarm();
    if (open.isPresent() && open.get() != closed) {
      open.get().close();
    }
  }

  private void leaveWarm() throws IOException {
    if (warm.isPresent()) {
      WarmVolume left = warm.get();
      warm = Optional.empty();
      left.close();
    }
  }
}
