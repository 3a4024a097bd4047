package org.weft.sysmgr.rest;

/**
 * An answer.
 *
 * @param status of HTTP
 * @param body what Jackson turns into JSON: a record, a map, a list; or a String if html
 * @param html the body is a page, not JSON
 */
public record RestReply(int status, Object body, boolean html) {
  private static final int OK = 200;

  /** 200 with a JSON body. */
  public static RestReply json(Object body) {
    return new RestReply(OK, body, false);
  }

  /** 200 with a page. */
  public static RestReply page(String html) {
    return new RestReply(OK, html, true);
  }
}
