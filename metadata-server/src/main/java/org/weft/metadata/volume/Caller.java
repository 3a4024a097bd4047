package org.weft.metadata.volume;

import org.weft.protocol.id.SessionId;

/**
 * Whose request it is: the session, the reply slot in it, and the request's number there (P 6.4).
 */
public record Caller(SessionId session, int slot, long sequence) {}
