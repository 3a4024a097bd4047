package org.weft.metadata.objects;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** Something that the cache lacks, with all that the {@link ObjectLoader} must know to find it. */
public sealed interface Missing {
  ObjectId object();

  /**
   * Attribute page 0 of the object.
   *
   * @param hints OSDs to ask first
   * @param lagging OSDs whose copy must not be believed
   * @param generation the cache's, to be given back with what is loaded
   */
  record MissingAttributes(
      ObjectId object, List<OsdId> hints, SortedSet<OsdId> lagging, int generation)
      implements Missing {
    public MissingAttributes {
      Objects.requireNonNull(object, "object");
      hints = List.copyOf(hints);
      lagging = Collections.unmodifiableSortedSet(new TreeSet<>(lagging));
    }
  }

  /** Which replicas of a directory may answer. */
  enum Source {
    /** Any: all are alike. */
    ANY,
    /** The one whose directory has the lowest LSN: redo starts from it (P 6.3). */
    LOWEST
  }

  /**
   * Blocks of a directory, all to come from one replica, if one has all of them.
   *
   * @param replicas OSDs whose copy may be believed, in order of preference
   * @param blocks numbers
   * @param generation the cache's, to be given back with what is loaded
   */
  record MissingBlocks(
      ObjectId object, List<OsdId> replicas, List<Integer> blocks, Source source, int generation)
      implements Missing {
    public MissingBlocks {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(source, "source");
      replicas = List.copyOf(replicas);
      blocks = List.copyOf(blocks);
    }

    /** Others of the same directory, from the same replicas. */
    public MissingBlocks withBlocks(List<Integer> others) {
      return new MissingBlocks(object, replicas, others, source, generation);
    }
  }
}
