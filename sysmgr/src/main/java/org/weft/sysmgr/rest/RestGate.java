package org.weft.sysmgr.rest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Finds the route of a request, runs its handler and writes what it answers. A POST from a page of
 * another origin is refused: a browser that shows such a page may well reach this port. No thread
 * waits for a body.
 */
final class RestGate extends Handler.Abstract {
  private static final Logger LOGGER = LoggerFactory.getLogger(RestGate.class);
  private static final int MAX_BODY_BYTES = 64 << 10;
  private static final String POST = "POST";
  private static final String BEARER = "Bearer ";

  private final SameOrigin sameOrigin;
  private final RestConnections connections;
  private volatile List<RestRoutes.Route> routes;

  RestGate(String host, List<RestRoutes.Route> routes, RestConnections connections) {
    this.sameOrigin = new SameOrigin(host);
    this.connections = connections;
    this.routes = routes;
  }

  synchronized void prepend(List<RestRoutes.Route> first) {
    List<RestRoutes.Route> all = new ArrayList<>(first);
    all.addAll(routes);
    routes = List.copyOf(all);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    try {
      RestRoutes.Route route = route(request);
      var unused =
          body(request)
              .thenCompose(body -> answer(route, request, body))
              .whenComplete((reply, failure) -> finish(response, callback, reply, failure));
    } catch (WeftException | RuntimeException e) {
      finish(response, callback, null, e);
    }
    return true;
  }

  private CompletionStage<RestReply> answer(RestRoutes.Route route, Request request, String body) {
    connections.arrived(request.getConnectionMetaData().getConnection());
    try {
      return route
          .handler()
          .answer(
              new RestRequest(
                  route.method(),
                  path(request),
                  variables(route, segments(request)),
                  body,
                  token(request)));
    } catch (WeftException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static String path(Request request) {
    return Request.getPathInContext(request);
  }

  private static List<String> segments(Request request) {
    return List.of(path(request).substring(1).split("/", -1));
  }

  private RestRoutes.Route route(Request request) throws WeftException {
    List<String> segments = segments(request);
    String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
    List<RestRoutes.Route> here =
        routes.stream().filter(route -> matches(route.pattern(), segments)).toList();
    if (here.isEmpty()) {
      throw new WeftException(
          ErrorCode.NOT_FOUND, "there is nothing at " + path(request) + "; see /api/v1/status");
    }
    Optional<RestRoutes.Route> route =
        here.stream().filter(each -> each.method().equals(method)).findFirst();
    if (route.isEmpty()) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED,
          path(request) + " takes " + here.get(0).method() + ", not " + method);
    }
    if (method.equals(POST)) {
      sameOrigin.check(request);
    } else {
      sameOrigin.checkRead(request);
    }
    return route.get();
  }

  private static boolean matches(List<String> pattern, List<String> segments) {
    if (pattern.size() != segments.size()) {
      return false;
    }
    for (int i = 0; i < pattern.size(); i++) {
      if (!isVariable(pattern.get(i)) && !pattern.get(i).equals(segments.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isVariable(String segment) {
    return segment.startsWith("{") && segment.endsWith("}");
  }

  private static SortedMap<String, String> variables(
      RestRoutes.Route route, List<String> segments) {
    SortedMap<String, String> variables = new TreeMap<>();
    for (int i = 0; i < segments.size(); i++) {
      String pattern = route.pattern().get(i);
      if (isVariable(pattern)) {
        variables.put(pattern.substring(1, pattern.length() - 1), segments.get(i));
      }
    }
    return variables;
  }

  private static String token(Request request) {
    String authorization = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    return authorization != null && authorization.startsWith(BEARER)
        ? authorization.substring(BEARER.length())
        : "";
  }

  private static CompletionStage<String> body(Request request) {
    if (!request.getMethod().equals(POST)) {
      return CompletableFuture.completedFuture("");
    }
    CompletableFuture<byte[]> whole = new CompletableFuture<>();
    Content.Source.asByteArrayAsync(request, MAX_BODY_BYTES, Promise.Invocable.toPromise(whole));
    return whole.handle(
        (bytes, failure) -> {
          if (failure == null) {
            return new String(bytes, StandardCharsets.UTF_8);
          }
          String why =
              failure instanceof IllegalStateException
                  ? "a body may have up to " + MAX_BODY_BYTES + " bytes"
                  : "the body did not arrive: " + failure;
          throw new CompletionException(
              new WeftException(ErrorCode.INVALID_ARGUMENT, why, failure));
        });
  }

  private static void finish(
      Response response, Callback callback, RestReply reply, Throwable failure) {
    RestReply answer = reply;
    if (failure != null) {
      WeftException cause = WeftException.of(failure);
      if (cause.code() == ErrorCode.INTERNAL) {
        LOGGER.error("a REST request failed", failure);
      }
      answer = RestErrors.reply(cause);
    }
    byte[] body = answer.isText() ? utf8((String) answer.body()) : JsonBytes.bytes(answer.body());
    response.setStatus(answer.status());
    response
        .getHeaders()
        .put(
            HttpHeader.CONTENT_TYPE,
            answer.isText() ? answer.textType() : "application/json;charset=utf-8")
        .put(HttpHeader.CONNECTION, "close")
        .put(HttpHeader.CACHE_CONTROL, "no-store")
        .put("X-Content-Type-Options", "nosniff")
        .put("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
    response.write(true, ByteBuffer.wrap(body), callback);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
