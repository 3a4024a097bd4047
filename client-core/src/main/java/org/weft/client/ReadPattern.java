package org.weft.client;

import org.weft.client.stripe.read.ExpectedPattern;

/** How a stream is going to be read, as far as its reader knows. */
public enum ReadPattern {
  /** Not known: found out while the file is read. */
  ADAPTIVE,
  /** In order, if not from its beginning; also where it is sought in between. */
  SEQUENTIAL,
  /** In order and to the end: as much is fetched ahead as may be, from the first byte on. */
  WHOLE,
  /** Here and there: nothing is fetched that was not asked for. */
  RANDOM;

  /** The same, below the API. */
  ExpectedPattern expected() {
    return switch (this) {
      case ADAPTIVE -> ExpectedPattern.ADAPTIVE;
      case SEQUENTIAL -> ExpectedPattern.SEQUENTIAL;
      case WHOLE -> ExpectedPattern.WHOLE;
      case RANDOM -> ExpectedPattern.RANDOM;
    };
  }
}
