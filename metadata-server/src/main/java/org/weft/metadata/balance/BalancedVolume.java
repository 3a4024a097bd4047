package org.weft.metadata.balance;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.repair.RepairedVolume;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.recovery.rebuild.RebuildOutcome;

/**
 * What a balance asks of its volume. Called on the volume's thread, where everything completes,
 * with an {@link org.weft.protocol.error.WeftException} if it fails.
 */
public interface BalancedVolume {
  /** The round that the newest table tells of. */
  Optional<BalanceRound> round();

  /** Why nothing may move now: redundancy comes first. Empty: components may move. */
  Optional<String> hindrance();

  /** OSDs that answer managers now. */
  SortedSet<OsdId> serving();

  /** OSDs that hold a file's attributes, the first of them first. */
  List<OsdId> holders(Attributes file);

  /** Files that one OSD knows of and that are wanted, behind an object. */
  CompletionStage<RepairedVolume.Page> list(
      OsdId osd, ObjectId after, Predicate<Attributes> wanted);

  /** What the journal says is moving for a balance. */
  List<Rebuild> begun();

  /** The same of one file. */
  Optional<Rebuild> begun(ObjectId object);

  /**
   * Begins to move one component, if it is where it was and nothing hinders; then it is among what
   * {@link #begun(ObjectId) has begun}. Completes once durable, with the file as it is then; empty
   * if there is nothing to do.
   */
  CompletableFuture<Optional<Attributes>> begin(
      ObjectId object, int component, BalanceRound round, Set<OsdId> avoided);

  /** Writes the component; durable on its OSD when it completes. */
  CompletableFuture<RebuildOutcome> write(Rebuild rebuild, Attributes file, LongConsumer written);

  /** The component is in the map from now on; completes once durable. */
  CompletableFuture<Void> finish(Rebuild rebuild, RebuildOutcome outcome);

  /** The component is removed where it was written; completes once durable. */
  CompletableFuture<Void> abandon(Rebuild rebuild);

  /** Nothing waits to be removed from these OSDs, as far as they are up. */
  boolean isTidy(Set<OsdId> osds);
}
