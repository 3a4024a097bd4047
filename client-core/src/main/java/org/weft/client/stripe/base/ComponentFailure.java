package org.weft.client.stripe.base;

import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;

/**
 * A component that could not be read or written: what a client reports to the file's manager.
 *
 * @param cause NO_SUCH_OBJECT for a component that is not there, BAD_CHECKSUM for bytes that are
 *     not what was written, else as the OSD or the connection said
 */
public record ComponentFailure(
    ObjectName file, int componentIndex, OsdId osd, WeftException cause) {}
