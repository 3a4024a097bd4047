package org.weft.sysmgr.rest;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Keeps pages of other origins out that reach this port through a person's browser. What a browser
 * calls its origin must be the host it asks. That host must be named by its address or by the name
 * that this server was given. So a foreign name which points here does not pass.
 *
 * <p>A POST is always checked. A GET is checked where the server listens on loopback. Only a
 * browser or a program of this machine gets there, and a program can state the right name.
 * Elsewhere a machine may have names that this server does not know.
 */
final class SameOrigin {
  private static final String LOCALHOST = "localhost";
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[[0-9a-f:.%]+\\]");

  private final String host;
  private final boolean loopback;

  SameOrigin(String host) {
    this.host = host.toLowerCase(Locale.ROOT);
    this.loopback =
        this.host.equals(LOCALHOST) || this.host.startsWith("127.") || this.host.equals("::1");
  }

  private static String asked(Request request) {
    return Optional.ofNullable(request.getHeaders().get(HttpHeader.HOST))
        .orElse("")
        .toLowerCase(Locale.ROOT);
  }

  private static String name(String asked) {
    return asked.replaceFirst(":[0-9]+$", "");
  }

  private boolean isKnown(String name) {
    return name.equals(host) || name.equals(LOCALHOST) || ADDRESS.matcher(name).matches();
  }

  void checkRead(Request request) throws WeftException {
    if (loopback && !isKnown(name(asked(request)))) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "this server listens on loopback and replies to localhost or its address alone, not to '"
              + name(asked(request))
              + "'");
    }
  }

  void check(Request request) throws WeftException {
    String asked = asked(request);
    boolean known = isKnown(name(asked));
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    boolean same = origin == null || origin.toLowerCase(Locale.ROOT).endsWith("://" + asked);
    if (!known || !same) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "a POST must come from no page, or from one of this server under its own address");
    }
  }
}
