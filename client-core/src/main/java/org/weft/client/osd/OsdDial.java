package org.weft.client.osd;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.seam.Transport;

/**
 * Opens connections to one OSD: at its addresses in turn, first at the one that answered last.
 * Thread-safe; never blocks.
 */
final class OsdDial {
  private static final Pattern OSD_NAME = Pattern.compile("osd(-\\d+)?");

  private final OsdId osd;
  private final Transport transport;
  private final OsdDirectory directory;
  private final Supplier<Optional<ClusterId>> clusterId;
  private final String caller;
  private final int backgroundPercent;
  private volatile Optional<Endpoint> answeredLast = Optional.empty();

  OsdDial(
      OsdId osd,
      Transport transport,
      OsdDirectory directory,
      Supplier<Optional<ClusterId>> clusterId,
      String caller,
      int backgroundPercent) {
    this.osd = osd;
    this.transport = transport;
    this.directory = directory;
    this.clusterId = clusterId;
    this.caller = caller;
    this.backgroundPercent = backgroundPercent;
  }

  /**
   * Fails with UNAVAILABLE, WRONG_CLUSTER or VERSION_MISMATCH once no address has answered.
   *
   * @param timeoutMillis for each address
   * @param elsewhere true: the address that answered last comes last, for it is silent now
   */
  CompletableFuture<RpcConnection> dial(int timeoutMillis, boolean elsewhere) {
    WeftException unknown =
        new WeftException(
            ErrorCode.UNAVAILABLE,
            "OSD " + osd + " is not in the cluster's table; it may have been removed");
    CompletableFuture<RpcConnection> opened = new CompletableFuture<>();
    List<Endpoint> known = inTurn(elsewhere);
    if (known.isEmpty()) {
      var unused =
          directory
              .look(osd)
              .thenRun(() -> tryNext(inTurn(elsewhere), 0, timeoutMillis, unknown, opened));
    } else {
      tryNext(known, 0, timeoutMillis, unknown, opened);
    }
    return opened;
  }

  private List<Endpoint> inTurn(boolean elsewhere) {
    List<Endpoint> addresses = new ArrayList<>(directory.addressesOf(osd));
    answeredLast
        .filter(addresses::remove)
        .ifPresent(last -> addresses.add(elsewhere ? addresses.size() : 0, last));
    return addresses;
  }

  private void tryNext(
      List<Endpoint> addresses,
      int index,
      int timeoutMillis,
      WeftException soFar,
      CompletableFuture<RpcConnection> promise) {
    if (index == addresses.size()) {
      promise.completeExceptionally(soFar);
      return;
    }
    Endpoint address = addresses.get(index);
    ConnectOptions options =
        new ConnectOptions(clusterId.get(), caller, timeoutMillis, false, (opcode, body) -> {})
            .withBackground(backgroundPercent);
    var unused =
        transport
            .connect(address, options)
            .whenComplete(
                (opened, failure) -> {
                  WeftException problem = failure == null ? wrongOsd(opened, address) : null;
                  if (failure != null) {
                    problem = unreachable(address, WeftException.of(failure));
                  }
                  if (problem == null) {
                    answeredLast = Optional.of(address);
                    promise.complete(opened);
                  } else {
                    tryNext(addresses, index + 1, timeoutMillis, problem, promise);
                  }
                });
  }

  /**
   * A port that another OSD has taken over, which may be so new that it has no number yet, must not
   * get this one's calls. Null if all is well.
   */
  private WeftException wrongOsd(RpcConnection opened, Endpoint address) {
    String name = opened.peer().name();
    if (!OSD_NAME.matcher(name).matches() || name.equals("osd-" + osd)) {
      return null;
    }
    opened.close();
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "expected OSD " + osd + " at " + address + ", found " + name + "; its address has changed");
  }

  /**
   * Only these two say what is wrong with the OSD. What else the peer says may come from another
   * process on its port. For a writer the OSD is away then, and can be done without.
   */
  private WeftException unreachable(Endpoint address, WeftException cause) {
    ErrorCode code =
        cause.code() == ErrorCode.WRONG_CLUSTER || cause.code() == ErrorCode.VERSION_MISMATCH
            ? cause.code()
            : ErrorCode.UNAVAILABLE;
    return new WeftException(
        code, "OSD " + osd + " at " + address + " cannot be reached: " + cause.getMessage(), cause);
  }
}
