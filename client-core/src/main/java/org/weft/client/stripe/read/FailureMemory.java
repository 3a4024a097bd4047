package org.weft.client.stripe.read;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.OwnLimits;

/**
 * Remembers which components of a file failed for a reader. Each failure is told once in a while,
 * and a component that is not there is not asked for again at each stripe. Thread-safe.
 */
final class FailureMemory {
  private record Noted(ErrorCode code, long untilNanos) {
    boolean isAbsent() {
      return code == ErrorCode.NO_SUCH_OBJECT;
    }

    boolean isOver(long nowNanos) {
      return untilNanos - nowNanos <= 0;
    }
  }

  private final StripeContext context;
  private final StripedFile file;
  private final FailureListener listener;
  private final Map<Integer, Noted> notedByComponent = new ConcurrentHashMap<>();

  FailureMemory(StripeContext context, StripedFile file, FailureListener listener) {
    this.context = context;
    this.file = file;
    this.listener = listener;
  }

  /** What comes from this process's own limits is not the component's, and is not told. */
  void failed(int component, WeftException cause) {
    if (OwnLimits.caused(cause)) {
      return;
    }
    long nowNanos = context.ticker().nowNanos();
    long restNanos = TimeUnit.MILLISECONDS.toNanos(context.options().suspicionMillis());
    Noted news = new Noted(cause.code(), nowNanos + restNanos);
    Noted noted =
        notedByComponent.merge(
            component,
            news,
            (old, now) -> old.code() == now.code() && !old.isOver(nowNanos) ? old : now);
    if (noted == news) {
      listener.failed(
          new ComponentFailure(file.name(), component, file.map().osdOf(component), cause));
    }
  }

  /** True if no component is doubtful, and the OSDs of other files have answered lately, too. */
  boolean hasNoDoubts() {
    if (context.suspects().suspectsAny()) {
      return false;
    }
    if (notedByComponent.isEmpty()) {
      return true;
    }
    long nowNanos = context.ticker().nowNanos();
    notedByComponent.values().removeIf(noted -> noted.isOver(nowNanos));
    return notedByComponent.values().stream().noneMatch(Noted::isAbsent);
  }

  /** It was found absent lately, or its OSD does not answer: better read something else. */
  boolean isDoubtful(int component) {
    if (context.suspects().isSuspect(file.map().osdOf(component))) {
      return true;
    }
    Noted noted = notedByComponent.get(component);
    return noted != null && noted.isAbsent() && !noted.isOver(context.ticker().nowNanos());
  }
}
