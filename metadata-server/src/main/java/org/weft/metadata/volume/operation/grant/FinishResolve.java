package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.LostComponents;
import org.weft.metadata.volume.operation.PowerLosses;
import org.weft.metadata.volume.operation.UnfinishedCuts;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: a file whose writer went away, or lost a component, is in order again (P 5.5).
 * The grants of writers that are gone end; a writer that waits is to ask for another now.
 *
 * @param sizeBytes the length that its components know of
 * @param gone components that the map calls present and that the resolve did without. Their OSDs
 *     have nothing of them, or less than was acknowledged. They are marked missing, also if the
 *     code does not bear it, so that no reader takes what is left of them for the file
 * @param damage which of its bytes are lost or too old, for an operator; empty if none are
 * @param generation of the map that it was resolved by, since the decisions relied on the
 *     components that it calls present. 0 for any, whatever they lost meanwhile
 * @param suspects components of that map that were taken as they are then (P 5.9)
 */
public record FinishResolve(
    Lsn number,
    long sizeBytes,
    SortedSet<Integer> gone,
    String damage,
    int generation,
    SortedSet<Integer> suspects)
    implements Operation {
  public FinishResolve {
    gone = Collections.unmodifiableSortedSet(new TreeSet<>(gone));
    suspects = Collections.unmodifiableSortedSet(new TreeSet<>(suspects));
  }

  /** A file that has all its components. */
  public FinishResolve(Lsn number, long sizeBytes) {
    this(number, sizeBytes, new TreeSet<>(), "", 0, new TreeSet<>());
  }

  /**
   * @throws WeftException UNAVAILABLE if the map has changed since, or OSDs lost power of which
   *     nothing was known then: then it is to be resolved again
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Optional<WriteGrant> found = on.grants().find(number);
    if (found.isEmpty() || !found.get().awaitsResolve()) {
      return Empty.getDefaultInstance();
    }
    WriteGrant grant = found.get();
    List<WriteGrant> all = on.grants().of(grant.object());
    if (on.isForsaken(grant.object()) && all.stream().allMatch(WriteGrant::resolving)) {
      new GrantEnd(on).removeOrphan(grant.object());
      return Empty.getDefaultInstance();
    }
    Attributes file = HeldFile.attributes(on, grant);
    PowerLosses losses = new PowerLosses(on, grant.object());
    if (generation != 0) {
      requireUnchanged(file, losses);
    }
    if (all.stream().anyMatch(WriteGrant::resolving)) {
      file =
          on.draft()
              .put(
                  file.edit()
                      .unwritten(false)
                      .sizeBytes(lengthOf(file))
                      .times(times(on, file, all))
                      .build());
      if (on.lengths().isLive(grant.object()) && !on.lengths().isKnown(grant.object())) {
        // Whatever its writers published, its components know of it.
        on.draft().add(new LiveEffect.LengthLive(grant.object(), false));
      }
    }
    if (!gone.isEmpty()) {
      file = new LostComponents(on).markGone(file, gone);
    }
    losses.compared();
    if (!damage.isEmpty()) {
      String what = file.parent().name() + ", object " + grant.object() + ", " + damage;
      on.draft().add(new LiveEffect.FileDamaged(grant.object(), what));
    }
    // Else the writer says how long the file is: it may fill what it has left out (P 4.3).
    for (WriteGrant each : all) {
      if (each.resolving()) {
        // No write of it is pending any more. A writer that shared the file and died meanwhile was
        // fenced before it was put in order.
        on.draft().add(new LiveEffect.GrantClosed(each.number(), each.object(), Long.MAX_VALUE));
      } else if (each.renewing()) {
        on.draft().add(new LiveEffect.GrantSuperseded(each.number(), each.object()));
      }
    }
    if (all.stream().allMatch(WriteGrant::resolving)) {
      new UnfinishedCuts(on).take(file, grant);
    }
    return Empty.getDefaultInstance();
  }

  /** Between its last look at the components and this record others may have been decided of. */
  private void requireUnchanged(Attributes file, PowerLosses losses) throws WeftException {
    StorageMap map = file.map();
    if (map.generation() != generation) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "object " + file.object() + " lost components while it was being resolved");
    }
    if (!losses.suspectsIn(map).equals(suspects) || !losses.undecidedIn(map).isEmpty()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "OSDs of object " + file.object() + " lost power while it was being resolved");
    }
  }

  /** A file that was closed keeps its times. */
  private static Times times(Execution on, Attributes file, List<WriteGrant> all) {
    return all.stream().allMatch(grant -> grant.session().equals(WriteGrant.NO_SESSION))
        ? file.times()
        : file.times().changed(on.lengths().later(file.object(), on.dayNanos()));
  }

  /**
   * What was published stays (P 4.3, 6.5). No writer writes behind an unfinished truncation, so
   * bytes of components there are from before it.
   */
  private long lengthOf(Attributes file) {
    return file.truncation().trimBytes().isPresent()
        ? file.sizeBytes()
        : Math.min(Math.max(sizeBytes, file.sizeBytes()), FileLimits.MAX_FILE_BYTES);
  }
}
