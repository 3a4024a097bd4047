package org.weft.metadata.check;

import java.util.Optional;
import java.util.SortedSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.protocol.id.OsdId;

/**
 * A name's entry, and the attributes of its node, at one moment.
 *
 * @param entry empty: there is no such name
 * @param attributes empty: no OSD has any
 * @param silent without attributes: OSDs that may have them, but do not answer
 */
public record NameState(
    Optional<DirectoryEntry> entry, Optional<Attributes> attributes, SortedSet<OsdId> silent) {}
