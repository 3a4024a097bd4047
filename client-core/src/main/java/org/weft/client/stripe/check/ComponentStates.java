package org.weft.client.stripe.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.Countdown;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.wire.GetAttributesReply;

/**
 * What the components of a file say of themselves, group after group, up to the first group that no
 * write has entered.
 */
final class ComponentStates {
  private final StripeContext context;
  private final StripedFile file;
  private final Layout layout;
  private final CompletableFuture<ComponentStates> gathered = new CompletableFuture<>();
  private final SortedMap<Integer, Optional<GetAttributesReply>> states = new TreeMap<>();
  private WeftException failure;

  private ComponentStates(StripeContext context, StripedFile file) {
    this.context = context;
    this.file = file;
    this.layout = file.layout();
  }

  /** Asks all components that the map calls present. Fails if one does not answer. */
  static CompletableFuture<ComponentStates> gather(StripeContext context, StripedFile file) {
    ComponentStates states = new ComponentStates(context, file);
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
        context
            .attributesOf(file, component)
            .whenComplete(
                (reply, thrown) -> {
                  note(component, reply, thrown == null ? null : WeftException.of(thrown));
                  countdown.one();
                });
  }

  private synchronized void note(int component, GetAttributesReply reply, WeftException thrown) {
    if (thrown != null && thrown.code() != ErrorCode.NO_SUCH_OBJECT) {
      failure = failure == null ? thrown : failure;
    } else {
      states.put(component, Optional.ofNullable(reply));
    }
  }

  private void askedGroup(int group) {
    WeftException failed;
    boolean entered;
    synchronized (this) {
      failed = failure;
      int first = group * layout.width();
      entered =
          states.subMap(first, first + layout.width()).values().stream()
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

  /** The newest truncation that any component has heard of. */
  int truncationNumber() {
    return states.values().stream()
        .flatMap(Optional::stream)
        .mapToInt(GetAttributesReply::getTruncationNumber)
        .reduce(0, Math::max);
  }

  /**
   * Length of the file: the largest that any component knows since the newest truncation (P 4.3).
   */
  long eofBytes() {
    int truncation = truncationNumber();
    return states.values().stream()
        .flatMap(Optional::stream)
        .filter(state -> state.getTruncationNumber() == truncation)
        .mapToLong(GetAttributesReply::getEof)
        .reduce(0, Math::max);
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
