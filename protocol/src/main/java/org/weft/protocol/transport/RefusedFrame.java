package org.weft.protocol.transport;

import org.weft.protocol.error.WeftException;

/**
 * A frame that cannot be taken; nothing behind it is read any more.
 *
 * @param requestId the call it was, as far as that could be read; else 0
 */
record RefusedFrame(long requestId, WeftException failure) {}
