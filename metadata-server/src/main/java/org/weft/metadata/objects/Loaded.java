package org.weft.metadata.objects;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** What the {@link ObjectLoader} found; {@link MetadataCache#loaded} takes it in. */
public sealed interface Loaded {
  ObjectId object();

  /** Attribute page 0 as it is stored, and its LSN. */
  record LoadedAttributes(Attributes attributes, Lsn lsn) implements Loaded {
    public LoadedAttributes {
      Objects.requireNonNull(attributes, "attributes");
      Objects.requireNonNull(lsn, "lsn");
    }

    @Override
    public ObjectId object() {
      return attributes.object();
    }
  }

  /** No OSD gave the attributes; the reason is for a person. */
  record LostAttributes(ObjectId object, String reason) implements Loaded {}

  /**
   * Blocks of a directory, checked.
   *
   * @param from the replica they came from
   * @param unheard replicas that should have been compared but did not answer: from now on they lag
   */
  record LoadedBlocks(
      ObjectId object, OsdId from, List<OsdId> unheard, SortedMap<Integer, byte[]> blocks)
      implements Loaded {
    public LoadedBlocks {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(from, "from");
      unheard = List.copyOf(unheard);
      blocks = Collections.unmodifiableSortedMap(new TreeMap<>(blocks));
    }
  }
}
