package org.weft.sysmgr.rest;

import java.util.ArrayList;
import java.util.List;

/**
 * Paths and what answers them. A pattern is a path in which {@code {name}} stands for one segment:
 * {@code /api/v1/osds/{id}}. Not thread-safe: fill it, then hand it over.
 */
public final class RestRoutes {
  /** One path with its method. */
  record Route(String method, List<String> pattern, RestHandler handler) {}

  private final List<Route> routes = new ArrayList<>();

  public RestRoutes get(String pattern, RestHandler handler) {
    return add("GET", pattern, handler);
  }

  public RestRoutes post(String pattern, RestHandler handler) {
    return add("POST", pattern, handler);
  }

  private RestRoutes add(String method, String pattern, RestHandler handler) {
    if (!pattern.startsWith("/")) {
      throw new IllegalArgumentException("a path begins with '/', got '" + pattern + "'");
    }
    routes.add(new Route(method, List.of(pattern.substring(1).split("/", -1)), handler));
    return this;
  }

  List<Route> routes() {
    return List.copyOf(routes);
  }
}
