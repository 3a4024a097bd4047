package org.weft.client.ids;

import java.util.Optional;

/**
 * Says for which user an operation is asked, and where the request comes from.
 *
 * @param origin a change that comes again with the same origin, through whichever client, gets the
 *     first answer. That holds for a quarter of an hour, and as long as it is among the latest of
 *     its program's host
 */
public record RequestBy(OnBehalfOf caller, Optional<RequestOrigin> origin) {
  public static RequestBy caller(OnBehalfOf caller) {
    return new RequestBy(caller, Optional.empty());
  }
}
