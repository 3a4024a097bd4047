package org.weft.client;

import java.util.Optional;
import org.weft.protocol.rpc.RpcException;

/**
 * What became of one file of a bulk call.
 *
 * @param value empty if it failed
 * @param failure empty if it did not
 */
public record BulkOutcome<T>(WeftPath path, Optional<T> value, Optional<RpcException> failure) {
  static <T> BulkOutcome<T> of(WeftPath path, T value, Throwable failure) {
    return failure == null
        ? new BulkOutcome<>(path, Optional.of(value), Optional.empty())
        : new BulkOutcome<>(path, Optional.empty(), Optional.of(RpcException.of(failure)));
  }

  /**
   * The value.
   *
   * @throws RpcException why there is none
   */
  public T get() throws RpcException {
    if (failure.isPresent()) {
      throw failure.get();
    }
    return value.orElseThrow();
  }
}
