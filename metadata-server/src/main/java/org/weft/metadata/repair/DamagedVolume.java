package org.weft.metadata.repair;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.recovery.rebuild.BlockRepairOutcome;

/**
 * What the repair of bad blocks asks of its volume. Called on the volume's thread, where everything
 * completes, with an {@link org.weft.protocol.error.WeftException} if it fails.
 */
public interface DamagedVolume {
  /** OSDs that answer managers now. */
  SortedSet<OsdId> serving();

  /**
   * A block that an OSD does not give back as it was written.
   *
   * @param number in the component
   */
  record Block(ObjectId object, long number) {}

  /** All that the OSD knows of, in the order of objects and blocks. */
  CompletableFuture<List<Block>> badBlocks(OsdId osd);

  /**
   * Begins with blocks of a file: then it is among {@link #begun}; or has a directory's copy caught
   * up. Completes once durable, with the file as it is then; empty if nothing is to be written.
   */
  CompletableFuture<Optional<Attributes>> begin(ObjectId object, OsdId osd, Set<OsdId> alsoBadOn);

  /** What the journal says is being written anew in place. */
  List<Rebuild> begun();

  /** The same of one file. */
  Optional<Rebuild> begun(ObjectId object);

  /**
   * Writes the blocks anew; durable when it completes. Fails with GRANT_REVOKED, and writes nothing
   * more, once the journal says that it is over.
   *
   * @param blocks numbers in the component
   */
  CompletableFuture<BlockRepairOutcome> write(Rebuild repair, Attributes file, List<Long> blocks);

  /** It is over, whatever came of it; completes once durable. */
  CompletableFuture<Void> end(Rebuild repair);
}
