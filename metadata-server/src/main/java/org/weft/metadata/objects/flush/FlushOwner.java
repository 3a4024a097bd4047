package org.weft.metadata.objects.flush;

import java.util.List;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/** What a {@link Flusher} asks of the volume that it works for. Called on the machine's thread. */
public interface FlushOwner {
  /**
   * Appends a record with these effects as soon as there is room ({@link LiveEffect.LaggingAdded},
   * {@link LiveEffect.LaggingCleared}). It is treated like every other record. {@link
   * org.weft.metadata.objects.cache.MetadataCache#apply} comes at once, and {@link
   * Flusher#recordDurable} once it is on disk.
   */
  void journal(List<LiveEffect> effects);

  /** Every present copy holds the effects of all records below the LSN under a checkpoint. */
  void droppableBelow(Lsn lsn);

  /**
   * OSDs keep marks of as many grants on the file as they may, since an old grant is still open. It
   * is to be replaced by a new one, so that the marks of the others can go (P 5.4).
   */
  void crowded(ObjectId object);

  /** An OSD refused because a newer epoch exists: this manager is deposed and must stop serving. */
  void fenced(WeftException refusal);
}
