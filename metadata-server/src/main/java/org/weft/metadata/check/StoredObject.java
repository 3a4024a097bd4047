package org.weft.metadata.check;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.ComponentTag;

/**
 * What one OSD holds of an object.
 *
 * @param tag what the component stores of its file's map
 * @param page attributes, if it has any
 * @param pending some of its writes are not known to be complete; empty: the OSD does not say
 * @param unreadable why its attributes cannot be read; empty if they can, or there are none
 */
public record StoredObject(
    ComponentTag tag,
    long eofBytes,
    int truncationNumber,
    long componentBytes,
    Optional<Boolean> pending,
    Optional<Page> page,
    Optional<String> unreadable) {
  /** Attributes as they are stored: the bytes, their meaning, and the LSN of their record. */
  public record Page(Lsn lsn, ByteString bytes, Attributes attributes) {}
}
