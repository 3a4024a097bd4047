package org.weft.client.number;

import java.util.Optional;
import org.weft.client.ids.NodeAttributes;

/**
 * The state of a file at one moment, for a call that reads it.
 *
 * @param node what a manager tells, or would tell, at that moment
 * @param rights of the caller: 4 read, 2 write, 1 execute
 * @param beingWritten a client may change it at the same time
 * @param grant the read grant that it is known by, the same object as long as that lasts; empty if
 *     a manager was asked, and granted nothing
 */
record FoundFile(NodeAttributes node, int rights, boolean beingWritten, Optional<Object> grant) {}
