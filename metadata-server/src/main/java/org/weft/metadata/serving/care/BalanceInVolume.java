package org.weft.metadata.serving.care;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.balance.BalanceRound;
import org.weft.metadata.balance.BalancedVolume;
import org.weft.metadata.repair.OsdsToEmpty;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.repair.RepairedVolume;
import org.weft.metadata.volume.operation.repair.BeginMove;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.recovery.rebuild.RebuildOutcome;

/** A served volume as the balance of its BladeSet sees it. On the volume's thread. */
final class BalanceInVolume implements BalancedVolume {
  private final CaredVolume parts;
  private final RepairsInVolume repaired;
  private final int metaCopies;

  /**
   * @param repaired moves are written and put into maps as repairs are
   */
  BalanceInVolume(CaredVolume parts, RepairsInVolume repaired, int metaCopies) {
    this.parts = parts;
    this.repaired = repaired;
    this.metaCopies = metaCopies;
  }

  @Override
  public Optional<BalanceRound> round() {
    return parts.states().balance();
  }

  @Override
  public Optional<String> hindrance() {
    OsdsToEmpty toEmpty = repaired.toEmpty();
    if (!toEmpty.isEmpty()) {
      return Optional.of(
          "what OSDs %s held goes to others first, for they are lost or drained"
              .formatted(toEmpty.now()));
    }
    if (parts.machine().repairs().size() > 0) {
      return Optional.of("components that are missing are written anew first");
    }
    List<OsdId> away = new ArrayList<>(parts.states().osds());
    away.removeAll(parts.states().whole().keySet());
    if (!away.isEmpty()) {
      return Optional.of("OSDs %s are not up; start them, or remove them".formatted(away));
    }
    return Optional.empty();
  }

  @Override
  public SortedSet<OsdId> serving() {
    return new TreeSet<>(parts.states().servingManagers());
  }

  @Override
  public List<OsdId> holders(Attributes file) {
    return file.map().attributeHolders(metaCopies);
  }

  @Override
  public CompletionStage<RepairedVolume.Page> list(
      OsdId osd, ObjectId after, Predicate<Attributes> wanted) {
    return repaired.list(osd, after, wanted);
  }

  @Override
  public List<Rebuild> begun() {
    return parts.machine().rebuilds().all().stream().filter(Rebuild::balances).toList();
  }

  @Override
  public Optional<Rebuild> begun(ObjectId object) {
    return parts.machine().rebuilds().find(object).filter(Rebuild::balances);
  }

  @Override
  public CompletableFuture<Optional<Attributes>> begin(
      ObjectId object, int component, BalanceRound round, Set<OsdId> avoided) {
    return parts
        .service()
        .askOwn(new BeginMove(object, component, round, avoided))
        .thenApply(answered -> RepairsInVolume.fileIn(answered.body()));
  }

  @Override
  public CompletableFuture<RebuildOutcome> write(
      Rebuild rebuild, Attributes file, LongConsumer written) {
    return repaired.writeHere(rebuild, file, new TreeSet<>(), written);
  }

  @Override
  public CompletableFuture<Void> finish(Rebuild rebuild, RebuildOutcome outcome) {
    return repaired.finish(rebuild, outcome);
  }

  @Override
  public CompletableFuture<Void> abandon(Rebuild rebuild) {
    return repaired.abandon(rebuild);
  }

  @Override
  public boolean isTidy(Set<OsdId> osds) {
    return osds.stream()
        .allMatch(osd -> parts.states().isDown(osd) || parts.cache().waitingRemovals(osd) == 0);
  }
}
