package org.weft.protocol.frame;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.wire.Hello;
import org.weft.protocol.wire.HelloReply;

/**
 * Makes and checks the first messages of both sides. It refuses a side with no version in common,
 * or of another cluster. A side that does not know its cluster yet takes any. Pure functions.
 */
public final class Handshake {
  private static final int MAX_NAME_CHARS = 256;

  private Handshake() {}

  /** The client's first message; the nonce is 16 fresh random bytes. */
  public static Hello hello(VersionRange versions, ConnectOptions options, byte[] nonce) {
    return Hello.newBuilder()
        .setMinVersion(versions.min())
        .setMaxVersion(versions.max())
        .setClusterId(options.clusterId().map(ClusterId::value).orElse(""))
        .setCaller(options.caller())
        .setControl(options.control())
        .setNonce(ByteString.copyFrom(nonce))
        .setBackgroundPercent(options.backgroundPercent())
        .build();
  }

  /** The server's answer; the nonce is 16 fresh random bytes. */
  public static HelloReply accept(
      Hello hello, VersionRange versions, ListenOptions options, byte[] nonce)
      throws WeftException {
    Optional<ClusterId> own = options.clusterId().get();
    refuseOtherCluster(
        "the client " + name(hello.getCaller()),
        clusterOf(hello.getClusterId()),
        options.server().get(),
        own);
    if (!hello.getNonce().isEmpty() && hello.getNonce().size() != FrameMac.NONCE_BYTES) {
      throw new WeftException(
          ErrorCode.MALFORMED,
          "a client's nonce has "
              + FrameMac.NONCE_BYTES
              + " bytes, got "
              + hello.getNonce().size());
    }
    int backgroundPercent = hello.getBackgroundPercent();
    if (backgroundPercent < 0 || backgroundPercent > ConnectOptions.MAX_BACKGROUND_PERCENT) {
      throw new WeftException(
          ErrorCode.MALFORMED,
          "a connection for the background has 0 to "
              + ConnectOptions.MAX_BACKGROUND_PERCENT
              + " percent, got "
              + Integer.toUnsignedString(backgroundPercent));
    }
    return HelloReply.newBuilder()
        .setVersion(common(hello, versions, options.server().get()))
        .setClusterId(own.map(ClusterId::value).orElse(""))
        .setNonce(UnsafeByteOperations.unsafeWrap(nonce))
        .setServer(options.server().get())
        .setIncarnation(options.incarnation())
        .setMaxBodyBytes(options.maxBodyBytes())
        .setMaxPayloadBytes(options.maxPayloadBytes())
        .build();
  }

  /** The client as the server sees it, once accepted. */
  public static PeerInfo clientInfo(Hello hello, Endpoint address, int version)
      throws WeftException {
    return new PeerInfo(
        address, name(hello.getCaller()), clusterOf(hello.getClusterId()), 0, version);
  }

  /** Checks the server's answer, and returns the server's identity. */
  public static PeerInfo serverInfo(
      HelloReply reply, VersionRange versions, ConnectOptions options, Endpoint address)
      throws WeftException {
    Optional<ClusterId> cluster = clusterOf(reply.getClusterId());
    refuseOtherCluster(
        "the server " + name(reply.getServer()), cluster, options.caller(), options.clusterId());
    if (reply.getVersion() < versions.min() || reply.getVersion() > versions.max()) {
      throw new WeftException(
          ErrorCode.VERSION_MISMATCH,
          "the server chose version "
              + Integer.toUnsignedString(reply.getVersion())
              + ", this side speaks "
              + versions);
    }
    if (reply.getNonce().size() != FrameMac.NONCE_BYTES) {
      throw new WeftException(
          ErrorCode.MALFORMED,
          "a nonce has " + FrameMac.NONCE_BYTES + " bytes, got " + reply.getNonce().size());
    }
    if (reply.getMaxBodyBytes() < 0 || reply.getMaxPayloadBytes() < 0) {
      throw new WeftException(ErrorCode.MALFORMED, "the server's limits are out of range");
    }
    return new PeerInfo(
        address, name(reply.getServer()), cluster, reply.getIncarnation(), reply.getVersion());
  }

  private static int common(Hello hello, VersionRange versions, String server)
      throws WeftException {
    if (hello.getMinVersion() < 1 || hello.getMaxVersion() < hello.getMinVersion()) {
      throw new WeftException(
          ErrorCode.MALFORMED,
          "no such range of versions: " + hello.getMinVersion() + ".." + hello.getMaxVersion());
    }
    int version = Math.min(hello.getMaxVersion(), versions.max());
    if (version < Math.max(hello.getMinVersion(), versions.min())) {
      throw new WeftException(
          ErrorCode.VERSION_MISMATCH,
          server
              + " speaks "
              + versions
              + " of the protocol, the caller "
              + new VersionRange(hello.getMinVersion(), hello.getMaxVersion())
              + "; upgrade the older of the two");
    }
    return version;
  }

  private static void refuseOtherCluster(
      String other, Optional<ClusterId> theirs, String self, Optional<ClusterId> own)
      throws WeftException {
    if (theirs.isPresent() && own.isPresent() && !theirs.equals(own)) {
      throw new WeftException(
          ErrorCode.WRONG_CLUSTER,
          other
              + " belongs to cluster "
              + theirs.get()
              + ", but "
              + self
              + " to cluster "
              + own.get()
              + "; check the address");
    }
  }

  private static Optional<ClusterId> clusterOf(String text) throws WeftException {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(new ClusterId(text));
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.MALFORMED, e.getMessage(), e);
    }
  }

  /** A name for logs and error texts, cut and freed of control characters. */
  private static String name(String said) {
    String cut = said.length() <= MAX_NAME_CHARS ? said : said.substring(0, MAX_NAME_CHARS);
    return cut.replaceAll("\\p{Cntrl}", "?");
  }
}
