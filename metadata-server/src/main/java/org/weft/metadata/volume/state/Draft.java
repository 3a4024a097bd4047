package org.weft.metadata.volume.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LockEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.lock.LockTable;
import org.weft.metadata.quota.QuotaFile;
import org.weft.metadata.readmission.UnsettledGrants;
import org.weft.metadata.repair.MissingComponent;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.repair.RebuildTable;
import org.weft.metadata.repair.RepairQueue;
import org.weft.metadata.volume.length.VolatileLengths;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * The record that an operation is putting together. Attributes that are put more than once are in
 * it once, in their last form. Confined to one execution.
 */
public final class Draft {
  private final Lsn lsn;
  private final Map<ObjectId, Attributes> attributes = new LinkedHashMap<>();
  private final Set<ObjectId> newDirectories = new LinkedHashSet<>();
  private final Set<ObjectId> removed = new LinkedHashSet<>();
  private final List<Effect> namespace = new ArrayList<>();
  private final List<Effect> removals = new ArrayList<>();
  private final List<LiveEffect> live = new ArrayList<>();
  private final List<Runnable> afterwards = new ArrayList<>();
  private final Map<ObjectId, Long> shares = new LinkedHashMap<>();

  public Draft(Lsn lsn) {
    this.lsn = lsn;
  }

  /** The LSN that the record will have. */
  public Lsn lsn() {
    return lsn;
  }

  /** Attributes as this draft has put them; empty if it has not. */
  public Optional<Attributes> attributes(ObjectId object) {
    return Optional.ofNullable(attributes.get(object));
  }

  boolean isNewDirectory(ObjectId object) {
    return newDirectories.contains(object);
  }

  /** Answers with the attributes as they will be stored: with this record's LSN. */
  public Attributes put(Attributes changed) {
    Attributes stamped = changed.edit().changeLsn(lsn).build();
    attributes.put(stamped.object(), stamped);
    return stamped;
  }

  /** A directory begins without names; its attributes are put beside it. */
  public void createDirectory(ObjectId object, HashKey key) {
    newDirectories.add(object);
    namespace.add(new ObjectEffect.CreateDirectory(object, key));
  }

  /** A name begins, or leads to another node. */
  public void putEntry(ObjectId directory, String name, DirectoryEntry entry) {
    namespace.add(new ObjectEffect.PutEntry(directory, name, entry));
  }

  /** A name ends. */
  public void removeEntry(ObjectId directory, String name) {
    namespace.add(new ObjectEffect.RemoveEntry(directory, name));
  }

  /** A node ends. The flusher tells the OSDs that hold a part of it. */
  public void removeObject(ObjectId object, List<OsdId> holders) {
    attributes.remove(object);
    removed.add(object);
    removals.add(new ObjectEffect.RemoveObject(object, holders));
  }

  /** True if this draft removes the object. */
  public boolean removes(ObjectId object) {
    return removed.contains(object);
  }

  /** What is removed needs no repair any more. */
  public void dropRepairs(RepairQueue repairs) {
    for (ObjectId object : removed) {
      for (MissingComponent missing : repairs.of(object)) {
        add(new LiveEffect.RepairRemoved(object, missing.osd(), missing.component()));
      }
    }
  }

  /**
   * A removed object can lose no writes any more. The record says so itself: a journal forgets a
   * removal that is on OSDs, and may still know the grants.
   */
  public void settleRemoved(UnsettledGrants unsettled, GrantTable grants) {
    SortedSet<Lsn> settled = new TreeSet<>();
    for (ObjectId object : removed) {
      unsettled.of(object).forEach(grant -> settled.add(grant.number()));
    }
    for (LiveEffect effect : live) {
      if (effect instanceof LiveEffect.GrantClosed closed) {
        grants
            .find(closed.number())
            .filter(grant -> removed.contains(grant.object()))
            .ifPresent(grant -> settled.add(grant.number()));
      }
    }
    settled.forEach(number -> add(new LiveEffect.GrantSettled(number)));
  }

  /** A removed object has no locks any more. */
  public void dropLocks(LockTable locks) {
    removed.stream()
        .filter(object -> !locks.all(object).isEmpty())
        .forEach(object -> add(new LockEffect.FileUnlocked(object)));
  }

  /**
   * Ends rebuilds of files that a client may now write, that have another map, or that are gone.
   * What was written anew of such a file is removed (P 6.8).
   */
  public void endRebuilds(RebuildTable rebuilds) {
    if (rebuilds.isEmpty()) {
      return;
    }
    Set<ObjectId> over = new LinkedHashSet<>(removed);
    Set<ObjectId> ended = new HashSet<>();
    for (Attributes put : attributes.values()) {
      rebuilds
          .find(put.object())
          .filter(rebuild -> rebuild.generation() != put.map().generation())
          .ifPresent(rebuild -> over.add(put.object()));
    }
    for (LiveEffect effect : live) {
      if (effect instanceof LiveEffect.GrantOpened opened) {
        over.add(opened.object());
      } else if (effect instanceof LiveEffect.RebuildEnded end) {
        ended.add(end.object());
      }
    }
    over.removeAll(ended);
    over.forEach(object -> rebuilds.find(object).ifPresent(this::abandon));
  }

  /**
   * The component that was to be is removed, if it was not there before; the rebuild does not go
   * on.
   */
  public void abandon(Rebuild rebuild) {
    add(new LiveEffect.RebuildEnded(rebuild.object()));
    if (rebuild.inPlace()) {
      return;
    }
    add(
        new LiveEffect.LaggingAdded(
            rebuild.target(), rebuild.object(), LiveEffect.LaggingKind.REMOVE, lsn));
  }

  /** Ends the warnings about damage of files that are removed. */
  public void dropDamage(Set<ObjectId> damaged) {
    removed.stream()
        .filter(damaged::contains)
        .forEach(object -> add(new LiveEffect.FileDamaged(object, "")));
  }

  /** The same of files whose parity and data contradict each other. */
  public void dropContradictions(Set<ObjectId> contradicted) {
    removed.stream()
        .filter(contradicted::contains)
        .forEach(object -> add(ScrubEffect.Contradicted.over(object)));
  }

  /**
   * Attributes that are put hold all that was published of their file, unless a writer has yet to
   * say what that was. A removed file has no length to tell any more.
   */
  public void settleLengths(VolatileLengths lengths) {
    for (ObjectId object : attributes.keySet()) {
      if (lengths.isToSettle(object)) {
        add(new LiveEffect.LengthLive(object, false));
      }
    }
    removed.stream()
        .filter(lengths::isLive)
        .forEach(object -> add(new LiveEffect.LengthLive(object, false)));
  }

  /**
   * Sets the length up to which writers may make the file; {@link QuotaFile#NO_SHARE}: they need no
   * share.
   */
  public void share(ObjectId object, long limitBytes) {
    shares.put(object, limitBytes);
  }

  /** Shares that this draft gives. */
  public Map<ObjectId, Long> shares() {
    return shares;
  }

  /** What is not journalled follows once the record is applied, or there is none to apply. */
  public void whenApplied(Runnable task) {
    afterwards.add(task);
  }

  /** The draft is in force. */
  public void applied() {
    afterwards.forEach(Runnable::run);
  }

  /** Neither a node nor live state changes; a read finds that out at once. */
  public boolean isEmpty() {
    return attributes.isEmpty() && removed.isEmpty() && live.isEmpty() && shares.isEmpty();
  }

  /** Attributes that it puts. */
  public Collection<Attributes> put() {
    return attributes.values();
  }

  /** Objects that it removes. */
  public Set<ObjectId> removed() {
    return removed;
  }

  /** Its effects on live state so far. */
  public List<LiveEffect> live() {
    return live;
  }

  /** The record changes live state, after what was added before. */
  public void add(LiveEffect effect) {
    live.add(effect);
  }

  /** The grant is over when this is applied. */
  public boolean closes(Lsn grant) {
    return live.stream()
        .anyMatch(
            effect ->
                effect instanceof LiveEffect.GrantClosed closed && closed.number().equals(grant));
  }

  /**
   * All effects, in the order in which a replay wants them: attributes before what hangs on a map.
   */
  public List<Effect> effects() {
    List<Effect> effects = new ArrayList<>();
    for (Attributes changed : attributes.values()) {
      effects.add(new ObjectEffect.PutAttributes(changed));
    }
    effects.addAll(namespace);
    effects.addAll(removals);
    effects.addAll(live);
    return effects;
  }
}
