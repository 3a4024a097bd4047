package org.weft.client.ids;

import java.util.Optional;

/**
 * What every operation is told of the request behind it.
 *
 * @param origin for a later release: a repeat through another client is carried out again
 */
public record RequestBy(OnBehalfOf caller, Optional<RequestOrigin> origin) {
  public static RequestBy caller(OnBehalfOf caller) {
    return new RequestBy(caller, Optional.empty());
  }
}
