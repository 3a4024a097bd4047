package org.weft.metadata.objects;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * The results of the {@link ObjectLoader}. {@link
 * org.weft.metadata.objects.cache.MetadataCache#loaded} takes them in.
 */
public sealed interface Loaded {
  ObjectId object();

  /**
   * Attribute page 0 as it is stored, and its LSN.
   *
   * @param generation of the {@link Missing} that was asked for
   */
  record LoadedAttributes(Attributes attributes, Lsn lsn, int generation) implements Loaded {
    public LoadedAttributes {
      Objects.requireNonNull(attributes, "attributes");
      Objects.requireNonNull(lsn, "lsn");
    }

    @Override
    public ObjectId object() {
      return attributes.object();
    }
  }

  /**
   * No OSD gave the attributes; the reason is for a person.
   *
   * @param silent those that did not say that they have none: they may have them. All others of the
   *     BladeSet have none, or none that is to be believed
   */
  record LostAttributes(ObjectId object, SortedSet<OsdId> silent, String reason) implements Loaded {
    public LostAttributes {
      Objects.requireNonNull(object, "object");
      silent = Collections.unmodifiableSortedSet(new TreeSet<>(silent));
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * Blocks of a directory, checked.
   *
   * @param source as requested
   * @param replicas those with the same state; the first is the one that the blocks came from
   * @param unheard replicas that should have been compared but could not: from now on they lag
   * @param generation of the {@link Missing} that was asked for
   */
  record LoadedBlocks(
      ObjectId object,
      Missing.Source source,
      List<OsdId> replicas,
      List<OsdId> unheard,
      SortedMap<Integer, byte[]> blocks,
      int generation)
      implements Loaded {
    public LoadedBlocks {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(source, "source");
      replicas = List.copyOf(replicas);
      unheard = List.copyOf(unheard);
      blocks = Collections.unmodifiableSortedMap(new TreeMap<>(blocks));
    }
  }
}
