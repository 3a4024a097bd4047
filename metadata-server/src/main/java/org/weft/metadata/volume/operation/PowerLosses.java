package org.weft.metadata.volume.operation;

import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.readmission.UnsettledGrants;
import org.weft.metadata.volume.execution.ClusterKnown;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * What OSDs that lost power may have lost of one file, in the draft of one execution (P 5.9). All
 * such OSDs are counted together, and with what is missing. If the code bears that, they are marked
 * missing. Else none of them is, and they are taken as they are. Then the written bytes are
 * resolved, since each OSD may have lost another part of them.
 *
 * <p>While some are taken as they are, every open grant on the file awaits its end. The record that
 * says so ends them all, and none is opened beside one that is being resolved. The record that ends
 * the resolve forgets the suspects. So no writer can ask for anything meanwhile.
 */
public final class PowerLosses {
  /** Shown as the writer of a file that was closed, until it is resolved. */
  private static final String UNKNOWN = "a client that closed it before OSDs lost power";

  private final Execution on;
  private final ObjectId object;

  public PowerLosses(Execution on, ObjectId object) {
    this.on = on;
    this.object = object;
  }

  /** What was decided before, under any grant that is open or unsettled. */
  public SuspectOsds decided() {
    return decided(on.grants().of(object), on.unsettled().suspectsOf(object));
  }

  /** OSDs that lost power under any of these grants, open or unsettled. */
  public static SuspectOsds decided(Iterable<WriteGrant> open, SuspectOsds unsettled) {
    SuspectOsds all = unsettled;
    for (WriteGrant grant : open) {
      all = all.and(grant.suspects());
    }
    return all;
  }

  /** As {@link org.weft.metadata.volume.VolumeMachine#suspectFilesAt}. */
  public static long suspectFilesAt(OsdId osd, GrantTable grants, UnsettledGrants unsettled) {
    return Stream.concat(
            grants.all().stream()
                .filter(grant -> grant.suspects().suspects().contains(osd))
                .map(WriteGrant::object),
            unsettled.all().stream()
                .filter(grant -> grant.suspects().suspects().contains(osd))
                .map(UnsettledGrant::object))
        .distinct()
        .count();
  }

  /** Components that are taken as they are and were not compared since. */
  public SortedSet<Integer> suspectsIn(StorageMap map) {
    return map.presentOn(decided().suspects());
  }

  /** Components of which it is not decided yet whether they are missing. */
  public SortedSet<Integer> undecidedIn(StorageMap map) {
    SuspectOsds decided = decided();
    SortedSet<OsdId> undecided = new TreeSet<>();
    on.cluster()
        .lossy()
        .forEach(
            (osd, lossy) -> {
              if (lossy.awaited() && !decided.isDecided(osd, lossy.quarantine())) {
                undecided.add(osd);
              }
            });
    return map.presentOn(undecided);
  }

  /** It is in quarantine still, and its component counts as present: it will be back. */
  public boolean isTakenAsItIs(OsdId osd) {
    ClusterKnown.Lossy lossy = on.cluster().lossy().get(osd);
    return lossy != null && decided().isDecided(osd, lossy.quarantine());
  }

  /**
   * Decides of all OSDs that lost power. Where the code bears the loss, writers of the file have to
   * ask for another grant, and send again what was under way. Where it does not, bytes that a
   * writer was told to be durable may be lost. Its grant ends, and the writer learns that.
   *
   * @return the OSDs whose components are taken as they are, if any
   */
  public Optional<SortedSet<OsdId>> decide(Attributes file) throws WeftException {
    StorageMap map = file.map();
    SortedSet<Integer> undecided = undecidedIn(map);
    if (undecided.isEmpty()) {
      return Optional.empty();
    }
    TreeSet<Integer> out = new TreeSet<>(map.missing());
    out.addAll(undecided);
    out.addAll(suspectsIn(map));
    if (map.bears(out)) {
      StorageMap lessened = new LostComponents(on).mark(file, undecided).map();
      for (WriteGrant grant : on.grants().of(object)) {
        if (grant.state() == WriteGrant.State.HELD) {
          fence(grant);
          on.draft().add(new LiveEffect.GrantMoved(grant.number(), object, lessened));
        }
      }
      return Optional.empty();
    }
    return Optional.of(takeAsTheyAre(map, undecided));
  }

  /**
   * Decides for a file whose attributes no OSD has any more. It decides about all OSDs that lost
   * power. Nothing can be marked missing in such attributes, so the components are taken as they
   * are. An operator is told.
   */
  public void decideWithoutAttributes(StorageMap map) {
    SortedSet<Integer> undecided = undecidedIn(map);
    if (undecided.isEmpty()) {
      return;
    }
    takeAsTheyAre(map, undecided);
    String writers =
        on.grants().of(object).stream()
            .map(WriteGrant::clientName)
            .distinct()
            .collect(Collectors.joining(", "));
    String what =
        "object "
            + object
            + (writers.isEmpty() ? "" : ", written by " + writers + ",")
            + " has lost its attributes: they were on OSDs "
            + map.attributeHolders(on.settings().metaCopies())
            + ", which do not have them any more; its name is shown without a length, and reading"
            + " it is refused: remove it, that ends this warning";
    on.draft().add(new LiveEffect.FileDamaged(object, what));
  }

  /** Answers with all OSDs of the file that are suspect now. */
  private SortedSet<OsdId> takeAsTheyAre(StorageMap map, SortedSet<Integer> undecided) {
    SuspectOsds suspects = decided();
    for (int component : undecided) {
      OsdId osd = map.osdOf(component);
      suspects = suspects.plus(osd, on.cluster().lossy().get(osd).quarantine());
    }
    takeAsTheyAre(map, suspects);
    return suspects.suspects();
  }

  private void takeAsTheyAre(StorageMap map, SuspectOsds suspects) {
    SortedMap<Lsn, UnsettledGrant> unsettled = new TreeMap<>();
    on.unsettled().of(object).forEach(grant -> unsettled.put(grant.number(), grant));
    if (on.grants().find(object).isEmpty()) {
      Lsn number = on.draft().lsn();
      Lsn first = unsettled.isEmpty() ? number : unsettled.firstKey();
      on.draft()
          .add(
              new LiveEffect.GrantOpened(
                  number, first, object, WriteGrant.NO_SESSION, map, on.nowMillis(), UNKNOWN));
      on.draft().add(new LiveEffect.GrantSuspects(number, object, suspects));
      on.draft().add(new LiveEffect.GrantResolving(number, object));
    }
    for (WriteGrant grant : on.grants().of(object)) {
      // It would write on, and get durable answers over bytes that were acknowledged before and are
      // gone.
      on.draft().add(new LiveEffect.GrantResolving(grant.number(), object));
    }
    say(suspects);
  }

  private void fence(WriteGrant grant) {
    on.draft().add(new LiveEffect.GrantResolving(grant.number(), object, true));
  }

  /** The file was resolved, its components compared with each other. */
  public void compared() {
    SuspectOsds decided = decided();
    if (!decided.suspects().isEmpty()) {
      say(decided.compared());
    }
  }

  /** All grants that are open or unsettled, since each may be the last of them. */
  private void say(SuspectOsds decided) {
    for (WriteGrant grant : on.grants().of(object)) {
      on.draft().add(new LiveEffect.GrantSuspects(grant.number(), object, decided));
    }
    for (UnsettledGrant grant : on.unsettled().of(object)) {
      on.draft().add(new LiveEffect.GrantSuspects(grant.number(), object, decided));
    }
  }
}
