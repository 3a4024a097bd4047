package org.weft.metadata.objects;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;

/** What one OSD gets of an object's metadata. The OSD takes what is newer than its own (P 6.3). */
public sealed interface CopyWrite {
  /** About as many bytes go to an OSD in one call. */
  int MAX_CALL_BYTES = 1 << 20;

  /** Whose metadata it is. */
  ObjectId object();

  /** About as many bytes on the wire. */
  int sizeBytes();

  /** It is so large that it has a call of its own. Its blocks are the frame's payload. */
  default boolean travelsAlone() {
    return false;
  }

  /** The same without the completions of writers. */
  default CopyWrite withoutCompletions() {
    return this;
  }

  /**
   * Attribute page 0.
   *
   * @param page the attributes, encoded once for all copies
   * @param componentIndex of this copy in the attributes' map
   * @param completions up to which number everything is complete, of grants that were closed (P
   *     5.4)
   * @param floor all writes of smaller grants are complete; {@link Lsn#ZERO}: unknown
   */
  record WriteAttributes(
      Attributes attributes,
      EncodedPage page,
      Lsn lsn,
      int componentIndex,
      SortedMap<Lsn, Long> completions,
      Lsn floor)
      implements CopyWrite {
    /** For one copy alone. */
    public WriteAttributes(
        Attributes attributes,
        Lsn lsn,
        int componentIndex,
        SortedMap<Lsn, Long> completions,
        Lsn floor) {
      this(attributes, new EncodedPage(attributes), lsn, componentIndex, completions, floor);
    }

    public WriteAttributes {
      Objects.requireNonNull(attributes, "attributes");
      Objects.requireNonNull(lsn, "lsn");
      Objects.requireNonNull(floor, "floor");
      completions = Collections.unmodifiableSortedMap(new TreeMap<>(completions));
    }

    @Override
    public ObjectId object() {
      return attributes.object();
    }

    @Override
    public CopyWrite withoutCompletions() {
      return new WriteAttributes(
          attributes, page, lsn, componentIndex, Collections.emptySortedMap(), Lsn.ZERO);
    }

    @Override
    public int sizeBytes() {
      int textChars =
          attributes.owner().length()
              + attributes.group().length()
              + attributes.parent().name().length();
      return 400
          + 8 * attributes.map().components().size()
          + 3 * textChars
          + attributes.symlinkTarget().size()
          + attributes.extraBytes()
          + 24 * completions.size();
    }
  }

  /**
   * Blocks of a directory, all of one state.
   *
   * @param componentIndex of this copy in the map
   * @param endBlock one more than the largest number of a block in use
   */
  record WriteBlocks(
      ObjectId object,
      StorageMap map,
      int componentIndex,
      int endBlock,
      SortedMap<Integer, byte[]> blocks)
      implements CopyWrite {
    public WriteBlocks {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(map, "map");
      blocks = Collections.unmodifiableSortedMap(new TreeMap<>(blocks));
    }

    @Override
    public int sizeBytes() {
      return 200 + blocks.size() * (DirectoryBlock.BYTES + 24);
    }

    @Override
    public boolean travelsAlone() {
      return sizeBytes() > MAX_CALL_BYTES / 2;
    }
  }

  /** The object is to go, and to leave a tombstone with this LSN. */
  record RemoveCopy(ObjectId object, Lsn lsn) implements CopyWrite {
    @Override
    public int sizeBytes() {
      return 160;
    }
  }
}
