package org.weft.client;

import java.util.Optional;
import org.weft.protocol.error.WeftException;

/**
 * What became of one file of a bulk call.
 *
 * @param value empty if it failed
 * @param failure empty if it did not
 */
public record BulkOutcome<T>(WeftPath path, Optional<T> value, Optional<WeftException> failure) {
  static <T> BulkOutcome<T> of(WeftPath path, T value, Throwable failure) {
    return failure == null
        ? new BulkOutcome<>(path, Optional.of(value), Optional.empty())
        : new BulkOutcome<>(path, Optional.empty(), Optional.of(WeftException.of(failure)));
  }

  /**
   * The value.
   *
   * @throws WeftException why there is none
   */
  public T get() throws WeftException {
    if (failure.isPresent()) {
      throw failure.get();
    }
    return value.orElseThrow();
  }
}
