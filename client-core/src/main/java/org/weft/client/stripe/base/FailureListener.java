package org.weft.client.stripe.base;

/** Hears of components that failed, so that they are repaired. Called on the engine's executor. */
@FunctionalInterface
public interface FailureListener {
  /** Ignores failures; for callers that do not report. */
  FailureListener NONE = failure -> {};

  /** Must not block. The same failure may be told again after a while. */
  void failed(ComponentFailure failure);
}
