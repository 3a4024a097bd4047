package org.weft.metadata.volume.operation.quota;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.quota.QuotaFile;
import org.weft.metadata.quota.QuotaLedger;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaMessages;
import org.weft.metadata.quota.QuotaTable;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.state.Draft;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.metadata.volume.state.VolumeState;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;

/**
 * Finds what a draft changes in the usage of trees, and refuses what a limit forbids. Puts the
 * usage as it is afterwards into the draft (P 6.6a). Usage is the sum over all nodes of what each
 * one's stored attributes say. So the change is found by comparing those before with those after.
 * No operation has to think of it, and none can forget it.
 */
public final class QuotaSettlement {
  private final VolumeState state;
  private final Execution on;
  private final Draft draft;
  private final QuotaTable table;

  public QuotaSettlement(VolumeState state, Execution on) {
    this.state = state;
    this.on = on;
    this.draft = on.draft();
    this.table = state.quotas().table();
  }

  /**
   * @param mayRefuse false for the manager's own operations, which state what has happened
   * @throws WeftException QUOTA_EXCEEDED
   */
  public void settle(boolean mayRefuse) throws NeedsInput, WeftException {
    if (draft.isEmpty()) {
      return;
    }
    unlimited().forEach(tree -> draft.add(new QuotaEffect.TreePut(tree)));
    List<QuotaTree> put = treesPut();
    if (table.isEmpty() && put.isEmpty()) {
      return;
    }
    QuotaLedger ledger = new QuotaLedger(table, put);
    for (Attributes after : draft.put()) {
      count(ledger, after);
    }
    for (ObjectId object : draft.removed()) {
      uncount(ledger, object);
    }
    List<QuotaEffect> files = files(ledger);
    if (mayRefuse) {
      Optional<QuotaLedger.Excess> excess = ledger.excess();
      if (excess.isPresent()) {
        throw QuotaMessages.exceeded(excess.get());
      }
    }
    ledger
        .usages(on.nowMillis())
        .forEach((tree, usage) -> draft.add(new QuotaEffect.TreeUsed(tree, usage)));
    files.forEach(draft::add);
    ledger.emptied().forEach(tree -> draft.add(new QuotaEffect.TreeGone(tree)));
  }

  /**
   * A tree whose directory goes may outlive it, with files that are open or have names elsewhere.
   * No path leads to its limits any more, so they go at once.
   */
  private List<QuotaTree> unlimited() {
    List<QuotaTree> unlimited = new ArrayList<>();
    for (ObjectId object : draft.removed()) {
      table
          .tree(object)
          .filter(tree -> !tree.limits().isNone())
          .ifPresent(tree -> unlimited.add(tree.limited(QuotaLimits.NONE, tree.path())));
    }
    return unlimited;
  }

  private List<QuotaTree> treesPut() {
    List<QuotaTree> put = new ArrayList<>();
    for (LiveEffect effect : draft.live()) {
      if (effect instanceof QuotaEffect.TreePut tree) {
        put.add(tree.tree());
      }
    }
    return put;
  }

  private void count(QuotaLedger ledger, Attributes after) throws NeedsInput {
    Optional<Attributes> before = before(after.object());
    ObjectId treeBefore = before.map(Attributes::quotaTree).orElse(QuotaTree.NONE);
    long bytesBefore = before.map(Attributes::countedBytes).orElse(0L);
    long bytesAfter = after.countedBytes();
    if (treeBefore.equals(after.quotaTree())) {
      if (before.isPresent() && bytesBefore != bytesAfter) {
        ledger.count(treeBefore, bytesAfter - bytesBefore, 0);
        if (isWrittenWithoutShare(after.object())) {
          ledger.unbounded(treeBefore, bytesAfter - bytesBefore);
        }
      } else if (before.isEmpty()) {
        ledger.count(after.quotaTree(), bytesAfter, 1);
      }
      return;
    }
    if (before.isPresent()) {
      ledger.count(treeBefore, -bytesBefore, -1);
    }
    ledger.count(after.quotaTree(), bytesAfter, 1);
  }

  private void uncount(QuotaLedger ledger, ObjectId object) throws NeedsInput {
    Optional<QuotaFile> known = table.file(object);
    if (known.isPresent()) {
      ledger.count(known.get().tree(), -known.get().sizeBytes(), -1);
      return;
    }
    Optional<Attributes> before = before(object);
    if (before.isPresent()) {
      ledger.count(before.get().quotaTree(), -before.get().countedBytes(), -1);
    }
  }

  /** As records before this one have it; empty for what this one makes, and for what is lost. */
  private Optional<Attributes> before(ObjectId object) throws NeedsInput {
    if (isMadeHere(object)) {
      return Optional.empty();
    }
    Loadable<Optional<Attributes>> answer = state.cache().attributes(object, List.of());
    if (!answer.isReady()) {
      throw new NeedsInput(answer.missing());
    }
    return answer.value();
  }

  private boolean isMadeHere(ObjectId object) {
    return object.equals(ObjectId.ROOT)
        ? !state.formatted()
        : Long.compareUnsigned(object.value(), state.counters().get(LiveEffect.CounterKind.OBJECT))
            >= 0;
  }

  /** Its writer was there before the quota was. */
  private boolean isWrittenWithoutShare(ObjectId object) {
    return state.grants().find(object).isPresent()
        && table.file(object).filter(QuotaFile::hasShare).isEmpty();
  }

  /** What is known of files beside their attributes, where that changes. */
  private List<QuotaEffect> files(QuotaLedger ledger) throws NeedsInput {
    Set<ObjectId> opened = new HashSet<>();
    Set<ObjectId> orphans = new HashSet<>();
    TreeSet<ObjectId> concerned = new TreeSet<>(draft.shares().keySet());
    for (LiveEffect effect : draft.live()) {
      if (effect instanceof LiveEffect.GrantClosed close) {
        concerned.add(close.object());
      } else if (effect instanceof LiveEffect.GrantOpened open) {
        opened.add(open.object());
      } else if (effect instanceof LiveEffect.OrphanAdded orphan) {
        orphans.add(orphan.object());
        concerned.add(orphan.object());
      }
    }
    concerned.addAll(draft.removed());
    draft.put().forEach(put -> concerned.add(put.object()));
    TreeMap<ObjectId, QuotaFile> changed = new TreeMap<>();
    for (ObjectId object : concerned) {
      boolean orphan = orphans.contains(object) || state.grants().isOrphan(object);
      boolean written = opened.contains(object) || isOpenAfter(object);
      Optional<QuotaFile> before = table.file(object);
      QuotaFile after = after(object, before, written, orphan);
      if (!after.equals(before.orElse(QuotaFile.forgotten(object)))) {
        ledger.file(before, after);
        changed.put(object, after);
      }
    }
    List<QuotaEffect> effects = new ArrayList<>();
    changed.values().forEach(file -> effects.add(new QuotaEffect.FilePut(file)));
    return effects;
  }

  private boolean isOpenAfter(ObjectId object) {
    return state.grants().of(object).stream().anyMatch(grant -> !draft.closes(grant.number()));
  }

  private QuotaFile after(
      ObjectId object, Optional<QuotaFile> before, boolean written, boolean orphan)
      throws NeedsInput {
    Long given = draft.shares().get(object);
    long limit =
        given != null ? given : before.map(QuotaFile::limitBytes).orElse(QuotaFile.NO_SHARE);
    boolean shares = written && limit != QuotaFile.NO_SHARE;
    if (draft.removes(object) || !shares && !orphan) {
      return QuotaFile.forgotten(object);
    }
    long limitBytes = shares ? limit : QuotaFile.NO_SHARE;
    Optional<Attributes> put = draft.attributes(object);
    if (put.isEmpty() && before.isPresent()) {
      return new QuotaFile(object, before.get().tree(), before.get().sizeBytes(), limitBytes);
    }
    Optional<Attributes> node = put.isPresent() ? put : before(object);
    return node.map(
            found -> new QuotaFile(object, found.quotaTree(), found.countedBytes(), limitBytes))
        .orElse(QuotaFile.forgotten(object));
  }
}
