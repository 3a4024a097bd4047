package org.weft.sysmgr.rest;

/**
 * An answer.
 *
 * @param status of HTTP
 * @param body what Jackson turns into JSON: a record, a map, a list; or a String if it is text
 * @param textType content type of a body that is text; empty: it is JSON
 */
public record RestReply(int status, Object body, String textType) {
  private static final int OK = 200;

  /** 200 with a JSON body. */
  public static RestReply json(Object body) {
    return json(OK, body);
  }

  static RestReply json(int status, Object body) {
    return new RestReply(status, body, "");
  }

  /** 200 with a page. */
  public static RestReply page(String html) {
    return text("text/html;charset=utf-8", html);
  }

  /** 200 with a text of that content type. */
  public static RestReply text(String contentType, String text) {
    return new RestReply(OK, text, contentType);
  }

  boolean isText() {
    return !textType.isEmpty();
  }
}
