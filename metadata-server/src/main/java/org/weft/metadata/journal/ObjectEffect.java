package org.weft.metadata.journal;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * An effect on objects of OSDs; flushed behind, and dropped once every present copy holds it under
 * a checkpoint (P 6.3).
 */
public sealed interface ObjectEffect extends Effect {
  /** Longest name of an entry, in bytes of UTF-8. */
  int MAX_NAME_BYTES = 255;

  /** The object that changes. */
  ObjectId object();

  /**
   * The object is an empty directory. It is in the record before its first entry. The same record
   * has its attributes, with the map that says where it lives.
   */
  record CreateDirectory(ObjectId object, HashKey key) implements ObjectEffect {
    public CreateDirectory {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(key, "key");
    }
  }

  /**
   * The name leads to the entry. The entry's LSN is the record's. A record that changes a directory
   * also puts the directory's attributes (its times changed), so that replay knows its map.
   */
  record PutEntry(ObjectId object, String name, DirectoryEntry entry) implements ObjectEffect {
    public PutEntry {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(entry, "entry");
      checkName(name);
    }
  }

  /** The name leads nowhere. */
  record RemoveEntry(ObjectId object, String name) implements ObjectEffect {
    public RemoveEntry {
      Objects.requireNonNull(object, "object");
      checkName(name);
    }
  }

  /** Attribute page 0 of the object is this. */
  record PutAttributes(Attributes attributes) implements ObjectEffect {
    public PutAttributes {
      Objects.requireNonNull(attributes, "attributes");
    }

    @Override
    public ObjectId object() {
      return attributes.object();
    }
  }

  /**
   * The object is gone. Every holder has a tombstone with the record's LSN (P 6.6).
   *
   * @param holders every OSD of its map, the attribute-only ones too
   */
  record RemoveObject(ObjectId object, List<OsdId> holders) implements ObjectEffect {
    public RemoveObject {
      Objects.requireNonNull(object, "object");
      holders = List.copyOf(holders);
    }
  }

  private static void checkName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > MAX_NAME_BYTES) {
      throw new IllegalArgumentException("a name has 1..255 bytes of UTF-8, got " + bytes);
    }
  }
}
