package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.GetAttributesReply;

/**
 * What the components of a file say of themselves, and what the manager has published of it; group
 * after group, up to the first that nobody has entered.
 */
final class ComponentStates {
  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;
  private final long publishedBytes;
  private final int publishedTruncation;
  private final CompletableFuture<ComponentStates> gathered = new CompletableFuture<>();
  private final SortedMap<Integer, Optional<GetAttributesReply>> states = new TreeMap<>();
  private RpcException failure;

  private ComponentStates(
      StripeEngine engine, StripedFile file, long publishedBytes, int publishedTruncation) {
    this.engine = engine;
    this.file = file;
    this.layout = file.layout();
    this.publishedBytes = publishedBytes;
    this.publishedTruncation = publishedTruncation;
  }

  /**
   * Asks all components that the map calls present. Fails if one does not answer.
   *
   * @param publishedBytes length that was published, 0 if none
   * @param publishedTruncation how often the file had been cut by then
   */
  static CompletableFuture<ComponentStates> gather(
      StripeEngine engine, StripedFile file, long publishedBytes, int publishedTruncation) {
    ComponentStates states = new ComponentStates(engine, file, publishedBytes, publishedTruncation);
    states.askGroup(0);
    return states.gathered;
  }

  private void askGroup(int group) {
    int first = group * layout.width();
    Countdown countdown = new Countdown(layout.width(), () -> askedGroup(group));
    for (int component = first; component < first + layout.width(); component++) {
      if (file.map().isMissing(component)) {
        countdown.one();
      } else {
        ask(component, countdown);
      }
    }
  }

  private void ask(int component, Countdown countdown) {
    var unused =
        engine
            .attributesOf(file, component)
            .whenComplete(
                (reply, thrown) -> {
                  note(component, reply, thrown == null ? null : RpcException.of(thrown));
                  countdown.one();
                });
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
      int first = group * layout.width();
      entered =
          group + 1 < layout.groupsTouched(publishedBytes)
              || states.subMap(first, first + layout.width()).values().stream()
                  .anyMatch(Optional::isPresent);
    }
    if (failed != null) {
      gathered.completeExceptionally(failed);
    } else if (entered && group + 1 < layout.groups()) {
      askGroup(group + 1);
    } else {
      gathered.complete(this);
    }
  }

  private Optional<GetAttributesReply> of(int component) {
    return states.getOrDefault(component, Optional.empty());
  }

  boolean isPresent(int component) {
    return of(component).isPresent();
  }

  /**
   * True if the component is there and has never heard of a byte of the file: it was made for
   * attributes, or to keep a dead writer out.
   */
  boolean isBlank(int component) {
    return of(component)
        .filter(
            state ->
                state.getEof() == 0
                    && state.getTruncationNumber() == 0
                    && state.getComponentBytes() == 0)
        .isPresent();
  }

  /** Components of the groups that a file of this length touches and that the map calls missing. */
  List<Integer> missing() {
    List<Integer> missing = new ArrayList<>();
    int groups = Math.max(1, layout.groupsTouched(eofBytes()));
    for (int component = 0; component < groups * layout.width(); component++) {
      if (file.map().isMissing(component)) {
        missing.add(component);
      }
    }
    return missing;
  }

  /** The newest truncation that the manager or any component has heard of. */
  int truncationNumber() {
    return states.values().stream()
        .flatMap(Optional::stream)
        .mapToInt(GetAttributesReply::getTruncationNumber)
        .reduce(publishedTruncation, Math::max);
  }

  /**
   * Length of the file: the largest that was published or that any component knows since the newest
   * truncation (P 4.3).
   */
  long eofBytes() {
    int truncation = truncationNumber();
    return states.values().stream()
        .flatMap(Optional::stream)
        .filter(state -> state.getTruncationNumber() == truncation)
        .mapToLong(GetAttributesReply::getEof)
        .reduce(publishedBytes, Math::max);
  }

  /**
   * True if a component that is not there, or blank, must have held something, or have been made
   * empty beside those that do (P 4.2): it is lost, and zeros in its place would be written into
   * the parity for good.
   */
  boolean isLost(int component) {
    if (isPresent(component) && !isBlank(component)) {
      return false;
    }
    return mustExist(component, publishedBytes) || !isPresent(component) && isFarBehind(component);
  }

  private boolean mustExist(int component, long fileBytes) {
    if (layout.isSmall(fileBytes)) {
      return fileBytes > 0 && component <= layout.parityUnits();
    }
    return component < layout.groupsTouched(fileBytes) * layout.width();
  }

  /**
   * No writer goes further ahead of what all components have acknowledged than its window. Only for
   * what was never published.
   */
  private boolean isFarBehind(int component) {
    long stripeMemoryBytes = (long) layout.width() * layout.unitBytes();
    long windowStripes = Math.max(1, StripeOptions.MOST_WINDOW_BYTES / stripeMemoryBytes);
    return usedBytesIn(component / layout.width()) / layout.unitBytes() > windowStripes;
  }

  /** Most space that any component of the group uses: holes count for nothing. */
  private long usedBytesIn(int group) {
    int first = group * layout.width();
    return states.subMap(first, first + layout.width()).values().stream()
        .flatMap(Optional::stream)
        .mapToLong(GetAttributesReply::getUsedBytes)
        .max()
        .orElse(0);
  }

  /** End of the last byte that the component holds. */
  long componentBytes(int component) {
    return of(component).map(GetAttributesReply::getComponentBytes).orElse(0L);
  }

  /** True if a file that is small by its length still holds bytes of the time when it was not. */
  boolean holdsMoreThanCopies() {
    for (int component = layout.parityUnits() + 1; component < layout.width(); component++) {
      if (componentBytes(component) > 0) {
        return true;
      }
    }
    return false;
  }
}
