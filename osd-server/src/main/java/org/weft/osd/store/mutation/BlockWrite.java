package org.weft.osd.store.mutation;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ObjectTag;
import org.weft.protocol.id.ObjectName;

/**
 * WRITE_BLOCKS: whole blocks, each written unless the stored block has an LSN at least as large (P
 * 6.3). The receipt counts those skipped. May use the reserve.
 *
 * <p>Fails with FENCED (epoch below the fence), NO_SUCH_OBJECT, TOMBSTONE (creation with no LSN as
 * large as the tombstone's), BAD_CHECKSUM, NO_SPACE.
 *
 * @param numbers of the blocks in the component, each once
 * @param lsns one for each block
 * @param blockCrcs one for each block
 * @param data the blocks one after another
 * @param eofBytes raises the stored file length; 0 leaves it
 */
public record BlockWrite(
    ObjectName name,
    Authority authority,
    long[] numbers,
    long[] lsns,
    int[] blockCrcs,
    List<ByteBuffer> data,
    Optional<ObjectTag> create,
    long eofBytes,
    boolean durable)
    implements Mutation {
  public BlockWrite {
    data = List.copyOf(data);
  }

  @Override
  public MutationKind kind() {
    return MutationKind.BLOCK_WRITE;
  }
}
