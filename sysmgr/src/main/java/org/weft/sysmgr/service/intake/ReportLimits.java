package org.weft.sysmgr.service.intake;

import java.util.List;
import java.util.regex.Pattern;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.StartProof;

/** Bounds what daemons may say of themselves. */
public final class ReportLimits {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%\\[\\]-]{1,255}");
  private static final int MAX_ADDRESSES = 16;
  private static final int MAX_PORT = 65_535;
  private static final int MAX_SENTENCE = 500;
  private static final int MAX_STARTS = 256;

  private ReportLimits() {}

  public static String identity(String identity) throws WeftException {
    return matching(NAME, "identity", identity);
  }

  public static String host(String host) throws WeftException {
    return matching(HOST, "host", host);
  }

  /** Empty: none is known. */
  public static String rack(String rack) throws WeftException {
    return rack.isEmpty() ? rack : matching(HOST, "rack", rack);
  }

  private static String matching(Pattern pattern, String what, String value) throws WeftException {
    if (!pattern.matcher(value).matches()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a node's " + what + " must match " + pattern + ", got '" + sentence(value) + "'");
    }
    return value;
  }

  public static List<Endpoint> addresses(List<AddressMessage> messages) throws WeftException {
    if (messages.isEmpty() || messages.size() > MAX_ADDRESSES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a node has 1.." + MAX_ADDRESSES + " addresses, got " + messages.size());
    }
    for (AddressMessage message : messages) {
      host(message.getHost());
      if (message.getPort() < 1 || message.getPort() > MAX_PORT) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT, "a port is 1..65535, got " + message.getPort());
      }
    }
    return messages.stream().map(Endpoint::fromMessage).toList();
  }

  public static org.weft.sysmgr.configuration.node.StartProof proof(StartProof told)
      throws WeftException {
    if (told.getKnownStartsCount() > MAX_STARTS) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a node tells " + MAX_STARTS + " starts at most, got " + told.getKnownStartsCount());
    }
    return new org.weft.sysmgr.configuration.node.StartProof(
        told.getStartId(), told.getKnownStartsList(), told.getCheckpoint(), told.getChange());
  }

  /** A text for people, cut where it is too long. */
  public static String sentence(String text) {
    return text.length() <= MAX_SENTENCE ? text : text.substring(0, MAX_SENTENCE) + "...";
  }
}
