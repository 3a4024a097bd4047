package org.weft.client.ids;

import java.util.Optional;

/**
 * What every operation is told of the request behind it.
 *
 * @param origin tells a repeat from another request; empty: a repeat is carried out again
 */
public record RequestBy(OnBehalfOf caller, Optional<RequestOrigin> origin) {
  public static RequestBy caller(OnBehalfOf caller) {
    return new RequestBy(caller, Optional.empty());
  }
}
