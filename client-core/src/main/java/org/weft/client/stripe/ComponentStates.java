package org.weft.client.stripe;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;

/**
 * What the components of a file say of themselves; group after group, up to the first that nobody
 * has entered.
 */
final class ComponentStates {
  private final StripeEngine engine;
  private final StripedFile file;
  private final CompletableFuture<ComponentStates> gathered = new CompletableFuture<>();
  private final SortedMap<Integer, Optional<GetAttributesReply>> states = new TreeMap<>();
  private RpcException failure;

  private ComponentStates(StripeEngine engine, StripedFile file) {
    this.engine = engine;
    this.file = file;
  }

  /** Asks all components. Fails if one is marked missing or does not answer. */
  static CompletableFuture<ComponentStates> gather(StripeEngine engine, StripedFile file) {
    ComponentStates states = new ComponentStates(engine, file);
    states.askGroup(0);
    return states.gathered;
  }

  private void askGroup(int group) {
    Layout layout = file.layout();
    Countdown countdown = new Countdown(layout.width(), () -> askedGroup(group));
    for (int c = group * layout.width(); c < (group + 1) * layout.width(); c++) {
      int component = c;
      if (file.map().isMissing(component)) {
        note(component, null, missing(component));
        countdown.one();
        continue;
      }
      GetAttributesRequest.Builder request =
          GetAttributesRequest.newBuilder().setObjectId(file.name().object().value());
      var unused =
          engine
              .osds()
              .getAttributes(file.target(component, engine.options().readAttemptMillis()), request)
              .whenComplete(
                  (reply, thrown) -> {
                    note(component, reply, thrown == null ? null : RpcException.of(thrown));
                    countdown.one();
                  });
    }
  }

  private RpcException missing(int component) {
    return new RpcException(
        ErrorCode.TOO_MANY_LOST,
        "parity of %s cannot be checked: %s is marked missing; rebuild it first"
            .formatted(file.name(), file.describe(component)));
  }

  private synchronized void note(int component, GetAttributesReply reply, RpcException thrown) {
    if (thrown != null && thrown.code() != ErrorCode.NO_SUCH_OBJECT) {
      failure = failure == null ? thrown : failure;
    } else {
      states.put(component, Optional.ofNullable(reply));
    }
  }

  private void askedGroup(int group) {
    RpcException failed;
    boolean entered;
    synchronized (this) {
      failed = failure;
      int first = group * file.layout().width();
      entered =
          states.subMap(first, first + file.layout().width()).values().stream()
              .anyMatch(Optional::isPresent);
    }
    if (failed != null) {
      gathered.completeExceptionally(failed);
    } else if (entered && group + 1 < file.layout().groups()) {
      askGroup(group + 1);
    } else {
      gathered.complete(this);
    }
  }

  boolean isPresent(int component) {
    return states.getOrDefault(component, Optional.empty()).isPresent();
  }

  /** The newest truncation that any component has heard of. */
  int truncationNumber() {
    return states.values().stream()
        .flatMap(Optional::stream)
        .mapToInt(GetAttributesReply::getTruncationNumber)
        .max()
        .orElse(0);
  }

  /** The largest length that any component knows since the newest truncation (P 4.3). */
  long eofBytes() {
    int truncation = truncationNumber();
    return states.values().stream()
        .flatMap(Optional::stream)
        .filter(state -> state.getTruncationNumber() == truncation)
        .mapToLong(GetAttributesReply::getEof)
        .max()
        .orElse(0);
  }

  long eofBytesOf(int component) {
    return states.get(component).map(GetAttributesReply::getEof).orElse(0L);
  }

  /** End of the last byte that any component of the group holds. */
  long componentBytesIn(int group) {
    int first = group * file.layout().width();
    return states.subMap(first, first + file.layout().width()).values().stream()
        .flatMap(Optional::stream)
        .mapToLong(GetAttributesReply::getComponentBytes)
        .max()
        .orElse(0);
  }
}
