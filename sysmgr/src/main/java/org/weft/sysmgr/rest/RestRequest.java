package org.weft.sysmgr.rest;

import java.util.SortedMap;

/**
 * A request as a handler sees it.
 *
 * @param method "GET" or "POST"
 * @param path as received, decoded
 * @param variables what stands in the path for each {@code {name}} of the route's pattern
 * @param body of a POST, as text; empty if there is none; at most 64 KiB
 * @param token what stands behind "Authorization: Bearer"; empty if nothing does
 */
public record RestRequest(
    String method, String path, SortedMap<String, String> variables, String body, String token) {
  /** The part of the path that stands for a name of the pattern. */
  public String variable(String name) {
    String value = variables.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the route's pattern has no {" + name + "}");
    }
    return value;
  }
}
