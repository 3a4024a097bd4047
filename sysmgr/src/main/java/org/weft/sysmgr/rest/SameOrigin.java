package org.weft.sysmgr.rest;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Keeps pages of other origins from changing anything through a person's browser: what a browser
 * calls its origin must be the host it asks, and that host must be named by its address or by the
 * name that this server was given, so that a foreign name which points here does not pass.
 */
final class SameOrigin {
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[[0-9a-f:.%]+\\]");

  private final String host;

  SameOrigin(String host) {
    this.host = host.toLowerCase(Locale.ROOT);
  }

  void check(Request request) throws RpcException {
    String asked =
        Optional.ofNullable(request.getHeaders().get(HttpHeader.HOST))
            .orElse("")
            .toLowerCase(Locale.ROOT);
    String name = asked.replaceFirst(":[0-9]+$", "");
    boolean known =
        name.equals(host) || name.equals("localhost") || ADDRESS.matcher(name).matches();
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    boolean same = origin == null || origin.toLowerCase(Locale.ROOT).endsWith("://" + asked);
    if (!known || !same) {
      throw new RpcException(
          ErrorCode.PERMISSION_DENIED,
          "a POST must come from no page, or from one of this server under its own address");
    }
  }
}
