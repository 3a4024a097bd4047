package org.weft.protocol.error;

/**
 * Says what a caller whose request failed should do next. Each {@link ErrorCode} is of one
 * category. Whether the request was carried out all the same is another question: {@link
 * ErrorCode#isInDoubt}.
 */
public enum ErrorCategory {
  /** The same request to the same server may succeed a moment later. */
  SAME_REQUEST,
  /** The server answers, and has nothing that can be used: another replica or manager may. */
  OTHER_REPLICA,
  /** The right that the request states has ended, or was never given: it takes another grant. */
  NEW_GRANT,
  /** It is an answer: the same request fails again until something else has changed. */
  NEVER
}
