package org.weft.client.volume;

/**
 * What the manager answered, and in which session.
 *
 * @param sessionId the session that holds what was granted
 */
public record SessionReply<T>(T body, long sessionId) {}
