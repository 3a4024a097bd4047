package org.weft.metadata.objects;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Calls of loader and flusher to OSDs, for the objects of one volume. Called on the volume's
 * thread; stages complete there too, within a deadline, and fail with an {@link
 * org.weft.protocol.error.WeftException} that names the OSD. No call is repeated.
 */
public interface OsdPort {
  /** Objects whose attributes one call asks for: an OSD reads them one after another. */
  int MAX_AT_ONCE = 32;

  /** Attribute page 0 as it is stored. */
  record StoredAttributes(Attributes attributes, Lsn lsn) {}

  /**
   * How far an OSD's memory reaches.
   *
   * @param incarnation grows with each start: a start may have lost what was not under a checkpoint
   * @param durableCheckpoint everything that was promised this checkpoint, or an earlier one, is
   *     durable
   */
  record CheckpointState(long incarnation, long durableCheckpoint) {}

  /** Fails with NO_SUCH_OBJECT if the OSD has no such object, or none with that page. */
  CompletionStage<StoredAttributes> attributes(OsdId osd, ObjectId object);

  /**
   * What the OSD has of several objects, at most {@link #MAX_AT_ONCE}. Empty: it has none of that
   * object. Left out: it did not tell this time, or nothing that can be read; asked for that object
   * alone, it may, or says why not.
   */
  CompletionStage<Map<ObjectId, Optional<StoredAttributes>>> attributesOf(
      OsdId osd, List<ObjectId> objects);

  /** Blocks of a directory, checksums checked; those that were never written are left out. */
  CompletionStage<SortedMap<Integer, byte[]>> blocks(
      OsdId osd, ObjectId directory, List<Integer> numbers);

  /**
   * Commits the writes in one step; the answers are in their order.
   *
   * @param incarnation of the OSD when it took what the blocks build on. An OSD that has started
   *     again since may have lost some of it, and refuses them with UNAVAILABLE
   * @param stamp as of when the copies are to hold this. An object that is gone is made for the
   *     latest rounds only; others are refused with BUSY
   */
  CompletionStage<List<CopyOutcome>> write(
      OsdId osd, long incarnation, List<CopyWrite> writes, FlushStamp stamp);

  CompletionStage<CheckpointState> status(OsdId osd);

  /** Makes everything durable that the OSD has taken. */
  CompletionStage<Void> checkpoint(OsdId osd);
}
